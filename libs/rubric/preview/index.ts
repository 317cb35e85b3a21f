/** What shows files, and neither Nest nor any model with it: for programs that must start fast. */
export { formatFileProblem, RubricFileError, type FileProblem } from '../config/file.problem.js';
export { PreviewService, type PreviewItem, type RubricPreview } from './preview.service.js';
