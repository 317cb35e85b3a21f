import type { AtifDocument } from '../document.js';
import { DOCUMENT } from './format.js';
import { checkRules } from './rules.js';

/**
 * What is wrong with a document by ATIF-v1.7 (spec 0.3, 2.3), each as `path what`; empty when nothing is. Strict: nothing
 * is converted, and no field is passed over.
 *
 * @example expect(atifFaults(JSON.parse(readFileSync('trajectory.json', 'utf8')))).toEqual([]);
 */
export function atifFaults(document: unknown): readonly string[] {
  const faults: string[] = [];
  const report = (path: string, what: string): void => void faults.push(`${path} ${what}`);
  DOCUMENT(document, 'document', report);
  // The rules look at fields that must be what they seem.
  if (faults.length === 0) checkRules(document as AtifDocument, 'document', report);
  return faults;
}
