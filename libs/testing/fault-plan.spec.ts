import { FaultPlan } from './fault-plan.js';

describe('FaultPlan', () => {
  const anyone = (): string | undefined => undefined;

  it('strikes request by request, each route for itself, and then lets pass', () => {
    const faults = new FaultPlan().onChat(503, 'pass', 'drop-after').onCompleted('malformed');
    expect(faults.pending).toBe(4);
    expect(faults.take('completed', anyone)).toBe('malformed');
    const struck = Array.from({ length: 4 }, () => faults.take('chat', anyone));
    expect(struck).toEqual([503, 'pass', 'drop-after', 'pass']);
    expect(faults.pending).toBe(0);
  });

  it('may be for one rollout', () => {
    const faults = new FaultPlan().add({ route: 'chat', faults: [500], rolloutId: 'b' });
    expect(faults.take('chat', () => 'a')).toBe('pass');
    expect(faults.take('chat', () => 'b')).toBe(500);
    expect(faults.take('chat', () => 'b')).toBe('pass');
  });

  it('may go on until it is cleared', () => {
    const faults = new FaultPlan().add({ route: 'completed', faults: [500, 503], repeat: true });
    const struck = Array.from({ length: 3 }, () => faults.take('completed', anyone));
    expect(struck).toEqual([500, 503, 500]);
    expect(faults.pending).toBe(0);
    faults.clear();
    expect(faults.take('completed', anyone)).toBe('pass');
  });
});
