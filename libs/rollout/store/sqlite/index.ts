/** What reads a data directory, and no Nest with it: for programs that must start fast. */
export * from './journal.reader.js';
export { lockDirectoryWhenFree, type DirectoryLock } from './directory.lock.js';
