import { UnknownProviderError, UnsupportedProviderError, ModelConfigError } from './model.error.js';
import { PROVIDER_TABLE } from './provider.table.js';
import type { ProviderDefinition } from './provider.definition.js';

/** Every provider that can be named, by name and alias. */
export class ProviderRegistry {
  readonly #byName = new Map<string, ProviderDefinition>();

  constructor(additional: readonly ProviderDefinition[] = []) {
    for (const definition of [...PROVIDER_TABLE, ...additional]) this.register(definition);
  }

  /** @throws ModelConfigError for a name or alias that is taken, or that could not be written before a slash */
  register(definition: ProviderDefinition): void {
    const names = [definition.name, ...(definition.aliases ?? [])];
    for (const name of names) {
      if (!/^[a-z0-9][a-z0-9_.-]*$/.test(name)) {
        throw new ModelConfigError(
          `Cannot register provider '${name}': a name is lower-case letters, digits, '_', '-' and '.'`,
        );
      }
      if (this.#byName.has(name)) {
        throw new ModelConfigError(
          `Cannot register provider '${name}': the name is taken. Choose another name; a server of a known provider at ` +
            'another address needs no row, only base_url',
        );
      }
    }
    for (const name of names) this.#byName.set(name, Object.freeze({ ...definition }));
  }

  has(name: string): boolean {
    return this.#byName.has(name.toLowerCase());
  }

  find(name: string): ProviderDefinition | undefined {
    return this.#byName.get(name.toLowerCase());
  }

  /** @throws UnknownProviderError naming those that are known; UnsupportedProviderError saying what to use instead */
  get(name: string): ProviderDefinition {
    const definition = this.find(name);
    if (!definition) throw new UnknownProviderError(name, this.names());
    if (definition.instead !== undefined) throw new UnsupportedProviderError(name, definition.instead);
    return definition;
  }

  /** Names without aliases, sorted, of those that can be used. */
  names(): string[] {
    return this.rows()
      .filter((row) => row.instead === undefined)
      .map((row) => row.name)
      .sort();
  }

  /** One row a provider, in order of registration. For documentation. */
  rows(): readonly ProviderDefinition[] {
    return [...new Set(this.#byName.values())].filter((row, index, rows) => {
      return rows.findIndex((other) => other.name === row.name) === index;
    });
  }
}
