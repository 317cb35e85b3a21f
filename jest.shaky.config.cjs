const base = require('./jest.config.cjs');

/**
 * All suites on a machine at its worst: `npm run test:shaky`. What fails here and not with `npm test` counts on time.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testEnvironment: '<rootDir>/test/shaky/environment.cjs',
  globalSetup: '<rootDir>/test/shaky/start-freezer.cjs',
};
