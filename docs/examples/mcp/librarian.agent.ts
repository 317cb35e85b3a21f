import { Agent, Tool } from '#osmosis';

@Agent({
  name: 'librarian',
  description: 'Answers from notes and from a search service',
  mcp: [
    // A directory with a main file: started here, in a process of its own.
    'docs/examples/mcp/notes',
    // A server that the application knows by this name.
    'search',
  ],
})
export class LibrarianAgent {
  // Its own tools stand beside those of the servers.
  @Tool({ description: 'What day it is' })
  today(): string {
    return new Date().toISOString().slice(0, 10);
  }
}
