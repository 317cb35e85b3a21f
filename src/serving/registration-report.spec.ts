import type { RegistrationResult } from '#workspace/plain';
import { registrationRecord, registrationText } from './registration-report.js';

const HEALTHY: RegistrationResult = {
  success: true,
  isHealthy: true,
  serverId: 'srv_1',
  status: 'healthy',
  error: null,
  serverInfo: { active_rollouts: 2 },
  host: '203.0.113.42',
  port: 8000,
  agent: 'calculator',
  retryable: false,
};
const FAILED: RegistrationResult = {
  ...HEALTHY,
  success: false,
  isHealthy: false,
  serverId: null,
  status: 'error',
  error: 'No address.',
  serverInfo: null,
  host: null,
};
const text = (result: RegistrationResult): string => registrationText(result, (_, plain) => plain);

describe('what is told of a registration (spec 9.3, pinned cases 12.9)', () => {
  it('healthy', () => {
    expect(text(HEALTHY)).toBe(
      '\n[OK] Registered with Osmosis Platform\n     Agent: calculator\n     Address: 203.0.113.42:8000\n' +
        '     Status: healthy\n     Active rollouts: 2\n',
    );
  });

  it.each([
    [{ version: '1' }, 'Active rollouts: 0'],
    [{ active_rollouts: 'many' }, 'Active rollouts: 0'],
  ])('server_info %j counts as %s', (serverInfo, line) => {
    expect(text({ ...HEALTHY, serverInfo })).toContain(line);
  });

  it.each([null, {}])('server_info %j: no such line', (serverInfo) => {
    expect(text({ ...HEALTHY, serverInfo })).not.toContain('Active rollouts');
  });

  it('unhealthy: what the platform said, and what to do', () => {
    const unhealthy = { ...HEALTHY, isHealthy: false, status: 'unhealthy', error: 'no route', retryable: true };
    expect(text(unhealthy)).toBe(
      '\n[WARNING] Registered but health check failed\n     Agent: calculator\n     Address: 203.0.113.42:8000\n' +
        '     Status: unhealthy\n     Error: no route\n\n     The server will continue running.\n' +
        '     Note: Platform cannot reach http://203.0.113.42:8000\n' +
        '     Tip: Use a VM with public IP and ensure the port is open.\n     It is tried again in the background.\n',
    );
  });

  it('failed: without a promise of trying again where none is made', () => {
    expect(text(FAILED)).toBe(
      '\n[WARNING] Failed to register with Platform\n     Error: No address.\n\n' +
        '     The server will continue running without registration.\n',
    );
  });

  it('what the platform says cannot steer the terminal; an IPv6 address stands in brackets', () => {
    expect(text({ ...FAILED, error: 'a\u001b[2Jb' })).toContain('Error: a[2Jb');
    expect(text({ ...HEALTHY, host: '2001:db8::1' })).toContain('Address: [2001:db8::1]:8000');
  });

  it('for the log: the same facts', () => {
    expect(registrationRecord(HEALTHY)).toEqual({
      message: 'Registered with Osmosis Platform',
      facts: {
        success: true,
        status: 'healthy',
        agent: 'calculator',
        host: '203.0.113.42',
        port: 8000,
        serverId: 'srv_1',
        activeRollouts: 2,
      },
    });
    expect(registrationRecord(FAILED)).toMatchObject({
      message: 'Failed to register with Platform',
      facts: { success: false, error: 'No address.', retrying: false },
    });
  });
});
