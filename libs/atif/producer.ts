/** Who writes the documents. A spec holds the version against the package's. */
export const PRODUCER = { name: 'nestjs-osmosis', version: '0.1.0' } as const;
