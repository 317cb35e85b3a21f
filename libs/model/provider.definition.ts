/** How an answer of a fixed shape is asked for: a forced call of one tool, a response format, or words alone. */
export type StructuredOutput = 'tool' | 'json_schema' | 'json_object' | 'plain';

/** Which of OpenAI's two chat interfaces a request goes to: `/chat/completions` or `/responses`. */
export type ProviderApi = 'chat' | 'responses';

export type TokenLimitName = 'max_tokens' | 'max_completion_tokens';

/** One row of the provider table: everything in which a provider differs from the others. */
export interface ProviderDefinition {
  /** Lower case; what stands before the slash in `provider/model`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Up to and including the version segment. Null when each customer has an own one: it must be given. */
  readonly baseUrl: string | null;
  /** Variables that may hold the base URL when {@link baseUrl} is null, the first that is set wins. */
  readonly baseUrlEnv?: readonly string[];
  /** Added to a given base URL that names no version. Default `/v1`. */
  readonly basePath?: string;
  /** Hosts that are the provider's own when {@link baseUrl} is null: its default keys may go there. */
  readonly ownHosts?: RegExp;
  /** Variables that may hold the key, the first that is set wins. The first one is what messages suggest. */
  readonly keyEnv: readonly string[];
  /** Local servers: work without a key. */
  readonly keyless?: boolean;
  /** Header the key travels in. Default `authorization`, as a bearer token. */
  readonly keyHeader?: 'authorization' | 'api-key';
  /** What it understands, the most binding first; a rejection moves a model down the list. */
  readonly structuredOutput?: readonly StructuredOutput[];
  /** Default `max_tokens`, which every server but OpenAI's newest models takes. */
  readonly tokenLimit?: TokenLimitName;
  /** Parameters sent when the caller sets none of that name. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Models that are asked through `/responses`. Only at the provider's own base URL. */
  readonly responses?: (model: string) => boolean;
  /** Seconds one request may take when the caller says nothing. Default {@link DEFAULT_TIMEOUT_SECONDS}. */
  readonly timeoutSeconds?: (model: string) => number;
  /** Requests at once. Default: the module's option. */
  readonly concurrency?: number;
  /** Set for services that speak another dialect: what to use in their place. Nothing can be opened with such a row. */
  readonly instead?: string;
}

export const DEFAULT_TIMEOUT_SECONDS = 30;

export const STRUCTURED_OUTPUT_LADDER: readonly StructuredOutput[] = ['json_schema', 'json_object', 'plain'];
