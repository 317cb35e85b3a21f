import {
  Catch,
  forwardRef,
  Inject,
  Injectable,
  Module,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
  VersioningType,
  type ArgumentMetadata,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
  type OnModuleInit,
  type PipeTransform,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, LazyModuleLoader, REQUEST } from '@nestjs/core';
import { IsString } from 'class-validator';
import { map, type Observable } from 'rxjs';
import { Agent, isOsmosisContext, RolloutContext, Tool, type RolloutRequest, type RolloutResult } from '#osmosis';
import { toolCall, type MockScript } from '#testing';
import { toolMessages } from './support/assertions.js';
import { startRig, type Rig, type RigOptions } from './support/rig.js';

class Text {
  @IsString() text!: string;
}

/** How agents and tools live in a Nest application (cases NE-*). */
describe('in a Nest application', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  /** Starts a server and calls one tool; gives the tool message. */
  async function callTool(options: RigOptions, name = 'say', args = { text: 'hi' }, agent?: string): Promise<string> {
    const script: MockScript = [[toolCall(name, args)], 'done'];
    rig = await startRig({ ...options, trainer: { script } });
    const result = await rig.run(agent === undefined ? {} : { agent });
    return toolMessages(result)[0]!.content;
  }

  async function health(): Promise<Record<string, unknown>> {
    return (await (await fetch(`${rig!.serverUrl}/health`)).json()) as Record<string, unknown>;
  }

  describe('enhancers on a tool', () => {
    it('a guard, with dependencies of its own, forbids or allows', async () => {
      @Injectable()
      class Policy {
        allows = (text: string): boolean => text === 'please';
      }
      @Injectable()
      class PolicyGuard implements CanActivate {
        constructor(private readonly policy: Policy) {}
        canActivate(context: ExecutionContext): boolean {
          expect(context.getType<string>()).toBe('osmosis:tool');
          return this.policy.allows(context.getArgByIndex<Text>(0).text);
        }
      }
      @Agent({ name: 'guarded' })
      class Guarded {
        @UseGuards(PolicyGuard)
        @Tool({ description: 'Say' })
        say({ text }: Text): string {
          return text;
        }
      }
      const script: MockScript = [[toolCall('say', { text: 'now!' }), toolCall('say', { text: 'please' })], 'done'];
      rig = await startRig({ providers: [Guarded, Policy], trainer: { script } });
      const contents = toolMessages(await rig.run()).map((message) => message.content);
      expect(contents).toEqual(['Error: Forbidden resource', 'please']);
    });

    it('an interceptor changes the result', async () => {
      class Shout implements NestInterceptor {
        intercept(_context: ExecutionContext, next: CallHandler<string>): Observable<string> {
          return next.handle().pipe(map((text) => text.toUpperCase()));
        }
      }
      @Agent({ name: 'loud' })
      class Loud {
        @UseInterceptors(Shout)
        @Tool({ description: 'Say' })
        say({ text }: Text): string {
          return text;
        }
      }
      expect(await callTool({ providers: [Loud] })).toBe('HI');
    });

    it('a pipe changes the input and leaves the context alone', async () => {
      class Exclaim implements PipeTransform<Text, Text> {
        transform(value: Text, { type }: ArgumentMetadata): Text {
          return type === 'body' ? { text: `${value.text}!` } : value;
        }
      }
      @Agent({ name: 'piped' })
      class Piped {
        @UsePipes(ValidationPipe, Exclaim)
        @Tool({ description: 'Say' })
        say({ text }: Text, ctx: RolloutContext): string {
          return `${text} ${ctx instanceof RolloutContext} ${ctx.toolCall?.function?.name}`;
        }
      }
      expect(await callTool({ providers: [Piped] })).toBe('hi! true say');
    });

    it('an exception filter answers in place of the error', async () => {
      @Catch(RangeError)
      class Excuse implements ExceptionFilter {
        catch(error: RangeError, host: ArgumentsHost): string {
          return `${host.getType<string>()}: sorry, ${error.message}`;
        }
      }
      @Agent({ name: 'filtered' })
      class Filtered {
        @UseFilters(Excuse)
        @Tool({ description: 'Say' })
        say(_text: Text): string {
          throw new RangeError('too much');
        }
      }
      expect(await callTool({ providers: [Filtered] })).toBe('osmosis:tool: sorry, too much');
    });

    it('a failing tool is no error of the application', async () => {
      @Agent({ name: 'failing' })
      class Failing {
        @Tool({ description: 'Say' })
        say(_text: Text): string {
          throw new Error('as expected');
        }
      }
      expect(await callTool({ providers: [Failing] })).toBe('Error: as expected');
      expect(rig!.log.text).not.toMatch(/^error/m);
    });
  });

  describe('NE-01: scopes', () => {
    let made = 0;
    @Injectable({ scope: Scope.REQUEST })
    class Notebook {
      readonly number = ++made;
      readonly lines: string[] = [];
      constructor(@Inject(REQUEST) readonly request: RolloutRequest) {}
    }
    beforeEach(() => (made = 0));

    it('a request-scoped dependency lives as long as its rollout and knows the request', async () => {
      @Agent({ name: 'writer' })
      class Writer {
        constructor(private readonly notebook: Notebook) {}
        @Tool({ description: 'Say' })
        say({ text }: Text): string {
          this.notebook.lines.push(text);
          return `${this.notebook.request.rolloutId} ${this.notebook.lines.join()}`;
        }
      }
      const script: MockScript = [[toolCall('say', { text: 'a' })], [toolCall('say', { text: 'b' })], 'done'];
      rig = await startRig({ providers: [Writer, Notebook], trainer: { script } });
      const [first, second] = await Promise.all([rig.run({ rolloutId: 'r1' }), rig.run({ rolloutId: 'r2' })]);
      expect(toolMessages(first).map((message) => message.content)).toEqual(['r1 a', 'r1 a,b']);
      expect(toolMessages(second).map((message) => message.content)).toEqual(['r2 a', 'r2 a,b']);
      expect(made).toBe(2);
    });

    it.each([Scope.REQUEST, Scope.TRANSIENT])('an agent of scope %s is made anew for each rollout', async (scope) => {
      let agents = 0;
      @Agent({ name: 'scoped', scope })
      class Scoped {
        readonly number = ++agents;
        async run(ctx: RolloutContext): Promise<RolloutResult> {
          const answer = await ctx.chat(ctx.request.messages);
          return ctx.complete([...ctx.request.messages, answer.message], `agent-${this.number}`);
        }
      }
      rig = await startRig({ providers: [Scoped], trainer: { script: ['done'] } });
      const reasons = [(await rig.run()).finish_reason, (await rig.run()).finish_reason];
      expect(new Set(reasons).size).toBe(2);
    });

    it('a guard may be request-scoped', async () => {
      @Injectable({ scope: Scope.REQUEST })
      class AskRequest implements CanActivate {
        constructor(@Inject(REQUEST) private readonly request: RolloutRequest) {}
        canActivate(): boolean {
          return this.request.metadata['may'] === true;
        }
      }
      @Agent({ name: 'asking' })
      class Asking {
        @UseGuards(AskRequest)
        @Tool({ description: 'Say' })
        say({ text }: Text): string {
          return text;
        }
      }
      rig = await startRig({ providers: [Asking], trainer: { script: [[toolCall('say', { text: 'hi' })], 'done'] } });
      const allowed = await rig.run({ metadata: { may: true } });
      const denied = await rig.run({ metadata: { may: false } });
      expect(toolMessages(allowed)[0]?.content).toBe('hi');
      expect(toolMessages(denied)[0]?.content).toBe('Error: Forbidden resource');
    });
  });

  it('NE-04: tools of an abstract base are found, and an override without decorator is what runs', async () => {
    abstract class Base {
      @Tool({ description: 'Say' })
      say({ text }: Text): string {
        return `base ${text}`;
      }
      @Tool({ description: 'Ask' })
      ask({ text }: Text): string {
        return `base ${text}?`;
      }
    }
    @Agent({ name: 'child' })
    class Child extends Base {
      override say({ text }: Text): string {
        return `child ${text}`;
      }
    }
    class Grandchild extends Child {}
    expect(await callTool({ providers: [Child, Grandchild] })).toBe('child hi');
    expect(rig!.log.lines.filter((line) => line.includes('  tool '))).toHaveLength(2);
  });

  describe('NE-05: names that are taken', () => {
    class Searches {
      @Tool({ description: 'Search' })
      search(_text: Text): string {
        return '';
      }
    }
    class OtherSearches {
      @Tool({ description: 'Search elsewhere' })
      search(_text: Text): string {
        return '';
      }
    }

    it('two tools of one name are named with both places', async () => {
      @Agent({ name: 'main' })
      class Main {}
      const start = startRig({ providers: [Main, Searches, OtherSearches] });
      await expect(start).rejects.toThrow(/two tools are called 'search': Searches.search and OtherSearches.search/);
    });

    it('two agents of one name are named with both classes', async () => {
      @Agent({ name: 'main' })
      class First {}
      @Agent({ name: 'main' })
      class Second {}
      await expect(startRig({ providers: [First, Second] })).rejects.toThrow(
        /Second .*'main' is already defined by First/,
      );
    });

    it('an agent chooses among shared tools, and a tool among agents', async () => {
      @Agent({ name: 'chooser', tools: [Searches] })
      class Chooser {}
      class ForOthers {
        @Tool({ description: 'Not yours', agents: ['other'] })
        hidden(): string {
          return '';
        }
      }
      @Agent({ name: 'other', tools: [ForOthers] })
      class Other {}
      rig = await startRig({ providers: [Chooser, Other, Searches, OtherSearches, ForOthers] });
      const tools = rig.log.lines.filter((line) => /Agent | {2}tool /.test(line)).map((line) => line.slice(4));
      expect(tools).toEqual([
        'Agent chooser (Chooser, built-in loop) Osmosis',
        '  tool search(text: string) Osmosis',
        'Agent other (Other, built-in loop) Osmosis',
        '  tool hidden() Osmosis',
      ]);
    });
  });

  describe('NE-07: a host with prefix and versioning', () => {
    @Agent({ name: 'main' })
    class Main {}

    it.each([
      ['a prefix moves the routes by the prefix', '/api', (app) => app.setGlobalPrefix('api')],
      ['versioning leaves them', '', (app) => app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' })],
      [
        'both together',
        '/api',
        (app) => app.setGlobalPrefix('api').enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }),
      ],
    ] as [string, string, NonNullable<RigOptions['configure']>][])('%s', async (_name, prefix, configure) => {
      rig = await startRig({ providers: [Main], configure });
      expect((await fetch(`${rig.serverUrl}${prefix}/health`)).status).toBe(200);
      const init = await fetch(`${rig.serverUrl}${prefix}/v1/rollout/init`, { method: 'POST', body: '{}' });
      expect(init.status).toBe(422);
      expect(rig.log.text).toContain(`POST ${prefix}/v1/rollout/init runs main`);
    });
  });

  describe('NE-09: ways of providing', () => {
    @Agent({ name: 'provided' })
    class Provided {
      constructor(readonly how = 'class') {}
      @Tool({ description: 'Say' })
      say({ text }: Text): string {
        return `${text} ${this.how}`;
      }
    }
    abstract class AbstractAgent {}

    it.each([
      ['an async factory', [{ provide: 'X', useFactory: async () => new Provided('factory') }], 'hi factory'],
      ['a value', [{ provide: 'X', useValue: new Provided('value') }], 'hi value'],
      ['an alias', [Provided, { provide: 'X', useExisting: Provided }], 'hi class'],
      ['an abstract class as token', [{ provide: AbstractAgent, useClass: Provided }], 'hi class'],
    ] as const)('%s is found once', async (_name, providers, expected) => {
      // Nest sees a constructor parameter; this class takes none from it.
      Reflect.defineMetadata('design:paramtypes', [], Provided);
      expect(await callTool({ providers: [...providers] })).toBe(expected);
      expect(rig!.log.lines.filter((line) => line.includes('Agent provided'))).toHaveLength(1);
    });

    it('a module that several modules import brings its agent once', async () => {
      @Agent({ name: 'shared' })
      class Shared {
        @Tool({ description: 'Say' })
        say({ text }: Text): string {
          return text;
        }
      }
      @Module({ providers: [Shared], exports: [Shared] })
      class SharedModule {}
      @Module({ imports: [SharedModule], exports: [SharedModule] })
      class A {}
      @Module({ imports: [SharedModule] })
      class B {}
      expect(await callTool({ imports: [A, B] })).toBe('hi');
    });
  });

  describe('NE-10: start', () => {
    it('tools see fields that an async onModuleInit has set', async () => {
      @Agent({ name: 'slow-start' })
      class SlowStart implements OnModuleInit {
        private greeting?: string;
        async onModuleInit(): Promise<void> {
          await new Promise((resolve) => setTimeout(resolve, 30));
          this.greeting = 'hello';
        }
        @Tool({ description: 'Say' })
        say({ text }: Text): string {
          return `${this.greeting} ${text}`;
        }
      }
      expect(await callTool({ providers: [SlowStart] })).toBe('hello hi');
    });

    it('a server without agents starts, says so, and answers inits with 404', async () => {
      rig = await startRig({});
      expect(rig.log.text).toContain('There is no agent to serve');
      const body = { rollout_id: 'r', server_url: 'http://127.0.0.1:9', messages: [], completion_params: {} };
      const init = await fetch(`${rig.serverUrl}/v1/rollout/init`, { method: 'POST', body: JSON.stringify(body) });
      expect(init.status).toBe(404);
      expect(await init.json()).toEqual({ detail: expect.stringContaining('Add a class with @Agent') });
    });
  });

  it('NE-11: agent and tool provider that need each other work with forwardRef', async () => {
    @Injectable()
    class Helper {
      constructor(@Inject(forwardRef(() => Circular)) readonly agent: { greeting: string }) {}
      @Tool({ description: 'Say' })
      say({ text }: Text): string {
        return `${this.agent.greeting} ${text}`;
      }
    }
    @Agent({ name: 'circular' })
    class Circular {
      readonly greeting = 'hello';
      constructor(@Inject(forwardRef(() => Helper)) readonly helper: object) {}
    }
    expect(await callTool({ providers: [Circular, Helper] })).toBe('hello hi');
  });

  it("NE-13: a host's global guard, interceptor and filter leave us alone when they ask isOsmosisContext", async () => {
    class Deny implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        return isOsmosisContext(context);
      }
    }
    class Wrap implements NestInterceptor {
      intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
        return isOsmosisContext(context) ? next.handle() : next.handle().pipe(map((data) => ({ data })));
      }
    }
    @Catch(TypeError)
    class Reshape implements ExceptionFilter {
      catch(): string {
        return 'reshaped';
      }
    }
    @Agent({ name: 'inside' })
    class Inside {
      @Tool({ description: 'Say' })
      say({ text }: Text): string {
        return text;
      }
    }
    const providers = [
      Inside,
      { provide: APP_GUARD, useClass: Deny },
      { provide: APP_INTERCEPTOR, useClass: Wrap },
      { provide: APP_FILTER, useClass: Reshape },
    ];
    expect(await callTool({ providers, osmosis: { apiKeys: undefined } })).toBe('hi');
    await rig!.close();

    rig = await startRig({ providers, osmosis: { apiKeys: 'k' } });
    const unauthorised = await fetch(`${rig.serverUrl}/v1/rollout/init`, { method: 'POST', body: '{}' });
    expect(unauthorised.status).toBe(401);
    expect(Object.keys(await health())).toContain('agent_loop');
  });

  it('NE-14: an agent of a module loaded late is served after the load, and equal tokens do not swap', async () => {
    const SEARCH = Symbol('SEARCH');
    const late = (name: string): object => {
      class LateTools {
        constructor(private readonly found: string) {}
        @Tool({ description: 'Search', name: `search_${name}`, agents: [name] })
        search({ text }: Text): string {
          return `${this.found}: ${text}`;
        }
      }
      @Agent({ name })
      class LateAgent {
        constructor(@Inject(SEARCH) readonly tools: LateTools) {}
      }
      @Module({ providers: [LateAgent, { provide: SEARCH, useFactory: () => new LateTools(name) }] })
      class LateModule {}
      return LateModule;
    };
    @Agent({ name: 'early' })
    class Early {}
    const script: MockScript = (request, turn) =>
      turn > 0 ? 'done' : [toolCall(`search_${request.rollout_id}`, { text: 'hi' })];
    rig = await startRig({ providers: [Early], trainer: { script } });

    const before = await fetch(`${rig.serverUrl}/agents/one/v1/rollout/init`, { method: 'POST', body: '{}' });
    expect(before.status).toBe(404);
    expect(await before.json()).toEqual({ detail: expect.stringContaining("'early'") });

    const loader = rig.app.get(LazyModuleLoader);
    const [one, two] = [late('one'), late('two')] as [never, never];
    await loader.load(() => one);
    await loader.load(() => two);
    for (const name of ['one', 'two']) {
      const result = await rig.run({ agent: name, rolloutId: name });
      expect(toolMessages(result)[0]?.content).toBe(`${name}: hi`);
    }
  });
});
