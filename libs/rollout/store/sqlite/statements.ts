import type Database from 'libsql';
import type { Row } from './rows.js';

type Statement = Database.Statement<unknown[]>;

/** The statements of one connection, each prepared once. */
export class Statements {
  readonly #prepared = new Map<string, Statement>();

  constructor(private readonly db: Database.Database) {}

  all(sql: string, ...values: readonly unknown[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  run(sql: string, values: readonly unknown[]): Database.RunResult {
    // As one array: libsql copies separate values into one first.
    return this.#prepare(sql).run(values);
  }

  #prepare(sql: string): Statement {
    let statement = this.#prepared.get(sql);
    if (!statement) {
      statement = this.db.prepare<unknown[]>(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}
