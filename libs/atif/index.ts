export * from './check/atif-faults.js';
export * from './document.js';
export * from './document-json.js';
export * from './messages-of.js';
export { applyReport, type ReportedDocument } from './report/apply-report.js';
export { readTrajectoryReport, type ReadReport } from './report/read-report.js';
export * from './trajectory-document.js';
