import { Pool } from 'undici';

interface Call {
  readonly id: string;
  readonly function: { readonly arguments: string };
}
interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly Call[];
  readonly tool_call_id?: string;
}
interface Init {
  readonly rollout_id: string;
  readonly server_url: string;
  readonly messages: readonly Message[];
  readonly completion_params: object;
  readonly metadata: { readonly ground_truth?: string };
  readonly idempotency_key: string;
  readonly api_key: string;
}
interface Answer {
  readonly choices: readonly { readonly message: Message; readonly finish_reason: string }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

const CODE = 'function add(a, b) {\n\treturn "sum: " + (a + b);\n}\n';

/**
 * The least that a rollout takes, written by hand: undici's Pool, the whole history serialised anew for each turn, no
 * checks, no log, no limits.
 */
export class BareRollouts {
  readonly #pools = new Map<string, Pool>();
  readonly #known = new Map<string, Init>();
  readonly #toolText: string | null;

  /** @param toolCharacters that the tool gives; 0: the sum */
  constructor(toolCharacters = 0) {
    this.#toolText = toolCharacters === 0 ? null : CODE.repeat(Math.ceil(toolCharacters / CODE.length));
  }

  accept(init: Init): string {
    if (!this.#known.has(init.idempotency_key)) {
      this.#known.set(init.idempotency_key, init);
      void this.#run(init);
    }
    return `{"rollout_id":${JSON.stringify(init.rollout_id)},"tools":[]}`;
  }

  async #run(init: Init): Promise<void> {
    const startedAt = performance.now();
    const messages = [...init.messages];
    const metrics = { total_latency_ms: 0, llm_latency_ms: 0, num_llm_calls: 0, prompt_tokens: 0, response_tokens: 0 };
    for (;;) {
      const askedAt = performance.now();
      const text = await this.#post(init, '/v1/chat/completions', {
        model: 'default',
        messages,
        rollout_id: init.rollout_id,
        ...init.completion_params,
      });
      const answer = JSON.parse(text) as Answer;
      const message = answer.choices[0]!.message;
      metrics.llm_latency_ms += performance.now() - askedAt;
      metrics.num_llm_calls++;
      metrics.prompt_tokens += answer.usage.prompt_tokens;
      metrics.response_tokens += answer.usage.completion_tokens;
      messages.push(message);
      if (!message.tool_calls) break;
      messages.push(...(await Promise.all(message.tool_calls.map((call) => this.#tool(call)))));
    }
    metrics.total_latency_ms = performance.now() - startedAt;
    await this.#post(init, '/v1/rollout/completed', {
      rollout_id: init.rollout_id,
      status: 'COMPLETED',
      final_messages: messages,
      finish_reason: 'stop',
      reward: messages.at(-1)!.content === init.metadata.ground_truth ? 1 : 0,
      metrics,
      extra_fields: {},
    });
  }

  async #tool(call: Call): Promise<Message> {
    const { a, b } = JSON.parse(call.function.arguments) as { a: number; b: number };
    return { role: 'tool', content: this.#toolText ?? String(a + b), tool_call_id: call.id };
  }

  async #post({ server_url: url, api_key: key }: Init, path: string, body: object): Promise<string> {
    let pool = this.#pools.get(url);
    if (!pool) this.#pools.set(url, (pool = new Pool(url, { connections: null, pipelining: 1, headersTimeout: 0 })));
    const response = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    });
    return response.body.text();
  }
}
