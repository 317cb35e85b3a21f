import { describeThrown, OsmosisError } from '#domain';
import type { Settings } from '../config/settings.js';
import { processListeningOn } from './port-owner.js';

/** Says why a server cannot listen, who is in the way, and how to get around it. */
export async function explainListenFailure(settings: Settings, thrown: unknown): Promise<OsmosisError> {
  const [host, port] = [settings.get('HOST'), settings.get('PORT')];
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  const error = (message: string): OsmosisError =>
    new OsmosisError('ADDRESS_UNAVAILABLE', message, { cause: thrown, details: { host, port } });
  const pick = "Choose another with -p, or '-p 0' for any free one.";
  switch (code) {
    case 'EADDRINUSE': {
      const owner = await processListeningOn(port);
      return error(`Port ${port} is already in use${owner ? ` by ${owner}` : ''}. ${pick}`);
    }
    case 'EACCES':
      return error(`Port ${port} needs more rights than this process has. ${pick}`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return error(
        `Cannot listen on host '${host}' (${originOf(settings)}): it is no address of this machine. ` +
          'Use -H 0.0.0.0 for all addresses, or -H 127.0.0.1 for this machine only.',
      );
    default:
      return error(`Cannot listen on ${host}:${port}: ${describeThrown(thrown)}. ${pick}`);
  }
}

function originOf(settings: Settings): string {
  const source = settings.sourceOf('HOST');
  return source === 'environment' || source === '.env'
    ? `from the variable HOST in ${settings.originOf('HOST')}`
    : settings.originOf('HOST');
}
