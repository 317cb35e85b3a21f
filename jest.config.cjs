/** Nest 12 and a few of its friends are ESM only; Jest runs in CommonJS mode and compiles them too. */
const ESM_ONLY = [
  '@nestjs',
  'nest-commander',
  '@golevelup',
  'p-limit',
  'yocto-queue',
  'hyparquet',
  'hyparquet-compressors',
  'hysnappy',
];

const swc = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
    target: 'es2022',
    keepClassNames: true,
  },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

/** @type {import('jest').Config} */
module.exports = {
  rootDir: __dirname,
  testEnvironment: 'node',
  testMatch: ['<rootDir>/libs/**/*.spec.ts', '<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.e2e-spec.ts'],
  setupFiles: ['reflect-metadata'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  moduleNameMapper: {
    '^#(.+)$': '<rootDir>/libs/$1/index.ts',
    '^nestjs-osmosis$': '<rootDir>/libs/osmosis/index.ts',
    '^nestjs-osmosis/testing$': '<rootDir>/libs/testing/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: { '^.+\\.(t|j|mj)s$': ['@swc/jest', swc] },
  transformIgnorePatterns: [`/node_modules/(?!(${ESM_ONLY.join('|')})/)`],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  testTimeout: 60000,
};
