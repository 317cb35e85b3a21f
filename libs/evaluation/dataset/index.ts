export { checkDataset, type ColumnSummary, type DatasetProblem, type DatasetReport } from './dataset.check.js';
export { DatasetError, type DatasetFaultKind, type DatasetPlace } from './dataset.error.js';
export { Dataset, type RowCount } from './dataset.js';
export {
  DATASET_FORMATS,
  KNOWN_COLUMNS,
  type DatasetFormat,
  type DatasetRow,
  type DatasetSpec,
} from './dataset.types.js';
