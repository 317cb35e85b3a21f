const base = require('./jest.config.cjs');

/**
 * The suite against Python peers: `npm run test:interop`.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/interop/**/*.spec.ts'],
  globalSetup: '<rootDir>/test/interop/support/global-setup.cjs',
  testTimeout: 60000,
};
