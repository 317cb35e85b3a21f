import { OsmosisError } from '#domain';

/** Where in a dataset something is wrong. Line and column count from 1, rows and bytes from 0. */
export interface DatasetPlace {
  readonly line?: number;
  readonly column?: number;
  /** Counts the rows of the file, not of the window that is read. */
  readonly row?: number;
}

/** What a row's fault is about, so that a check can count the faults of one kind. */
export type DatasetFaultKind =
  'file' | 'encoding' | 'syntax' | 'shape' | 'columns' | 'missing' | 'null' | 'type' | 'empty' | 'messages';

interface DatasetFault {
  readonly kind: DatasetFaultKind;
  /** What is wrong and how to mend it. */
  readonly message: string;
  readonly place?: DatasetPlace;
  /** The column it is about. */
  readonly field?: string;
}

/** A dataset that cannot be used. The message begins with `file:line:column`, as far as these are known. */
export class DatasetError extends OsmosisError {
  readonly kind: DatasetFaultKind;
  /** Without the place. */
  readonly reason: string;
  readonly place: DatasetPlace;
  readonly field: string | undefined;

  constructor(
    readonly path: string,
    fault: DatasetFault,
    cause?: unknown,
  ) {
    const place = fault.place ?? {};
    super('DATASET_INVALID', `${describePlace(path, place)}: ${fault.message}`, {
      cause,
      details: { path, kind: fault.kind, field: fault.field, ...place },
    });
    this.kind = fault.kind;
    this.reason = fault.message;
    this.place = place;
    this.field = fault.field;
  }
}

function describePlace(path: string, { line, column, row }: DatasetPlace): string {
  const position = [path, line, column].filter((part) => part !== undefined).join(':');
  return row === undefined ? position : `${position}: row ${row}`;
}
