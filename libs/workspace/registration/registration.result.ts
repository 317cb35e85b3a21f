/** How a server's registration with the platform went (spec 9.2). Plain data for showing. */
export interface RegistrationResult {
  /** The platform has registered the server, healthy or not. */
  readonly success: boolean;
  /** The platform could reach the server: `status` is `healthy`. */
  readonly isHealthy: boolean;
  readonly serverId: string | null;
  /** The platform's word: `healthy`, `unhealthy` …; `unknown` when it says none, `error` when registering failed. */
  readonly status: string;
  readonly error: string | null;
  /** What the platform read from the server's health page. */
  readonly serverInfo: Readonly<Record<string, unknown>> | null;
  /** Address that the platform was given; null when none could be found. */
  readonly host: string | null;
  readonly port: number;
  readonly agent: string;
  /** Whether trying again may help. */
  readonly retryable: boolean;
}

/** The part of a result that the platform's answer decides. */
type Answer = Pick<
  RegistrationResult,
  'success' | 'isHealthy' | 'serverId' | 'status' | 'error' | 'serverInfo' | 'retryable'
>;

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads the platform's answer; null when it is no JSON object. */
export function readRegistration(answer: unknown): Answer | null {
  if (!isObject(answer)) return null;
  const status = typeof answer.status === 'string' ? answer.status : 'unknown';
  const check = isObject(answer.health_check_result) ? answer.health_check_result : {};
  const isHealthy = status === 'healthy';
  const error = typeof check.error === 'string' && check.error !== '' ? check.error : 'Health check failed';
  return {
    success: true,
    isHealthy,
    serverId: typeof answer.id === 'string' ? answer.id : typeof answer.id === 'number' ? String(answer.id) : null,
    status,
    error: isHealthy ? null : error,
    serverInfo: isHealthy && isObject(check.server_info) ? check.server_info : null,
    retryable: !isHealthy,
  };
}

export function failedRegistration(error: string, retryable: boolean): Answer {
  return { success: false, isHealthy: false, serverId: null, status: 'error', error, serverInfo: null, retryable };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
