/**
 * What a `throw` meant, in words. User code throws strings, undefined, plain objects, and errors whose `message` throws
 * (case LC-15); this never does.
 */
export function describeThrown(thrown: unknown): string {
  if (thrown === undefined || thrown === null) return `${thrown} was thrown`;
  switch (typeof thrown) {
    case 'string':
      return thrown.trim() === '' ? 'an empty string was thrown' : thrown;
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'symbol':
      return String(thrown);
  }
  try {
    const { message } = thrown as { message?: unknown };
    if (typeof message === 'string' && message.trim() !== '') return message;
    if (thrown instanceof Error) return `${thrown.name || 'Error'} without a message`;
    return JSON.stringify(thrown) ?? 'an unnamed value was thrown';
  } catch {
    return 'an error that cannot be read was thrown';
  }
}
