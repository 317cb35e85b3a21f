/** Says what is wrong with what an agent's loop gave back; null when nothing is. */
export function resultFault(result: unknown): string | null {
  if (typeof result !== 'object' || result === null) {
    return `gave ${result === null ? 'null' : typeof result}. End it with ctx.complete(messages) or ctx.error(message)`;
  }
  const { status, finalMessages, finishReason } = result as Record<string, unknown>;
  if (status !== 'COMPLETED' && status !== 'ERROR') {
    return `gave the status ${JSON.stringify(status)}. A status is COMPLETED or ERROR: use ctx.complete or ctx.error`;
  }
  if (!Array.isArray(finalMessages)) return 'gave no list of final messages';
  const odd = finalMessages.findIndex((message) => typeof message !== 'object' || message === null);
  if (odd >= 0) return `gave final messages of which number ${odd} is no object`;
  if (typeof finishReason !== 'string') return 'gave a finish reason that is no string';
  return null;
}
