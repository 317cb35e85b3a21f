import { Module } from '@nestjs/common';
import { Command, CommandFactory, CommandRunnerService } from 'nest-commander';
import type { CommandDeclaration } from './declaration.js';
import { usage } from './help.js';
import { DeclaredCommand, ExitStatus } from './declared.command.js';
import type { ParsedOptions } from './parsed-options.js';
import { parseLine } from './parse.js';

const COMMAND: CommandDeclaration = {
  name: 'try',
  summary: 'Tries',
  description: 'Tries',
  arguments: [{ name: 'what', description: 'What', choices: ['this', 'that'] }],
  options: [
    { flags: '-m, --module <path>', description: 'Module', required: true },
    { flags: '-p, --port <port>', description: 'Port', integer: { min: 0, max: 9 } },
    { flags: '--local', description: 'Local', aliases: ['local-debug'] },
    { flags: '--log <dir>', description: 'Log' },
    { flags: '--log-level <level>', description: 'Level', choices: ['info', 'error'] },
    { flags: '--no-validate', description: 'Not' },
    { flags: '--tag <tag>', description: 'Tag', repeatable: true },
  ],
  examples: [],
};

function parse(line: string) {
  const parsed = parseLine(COMMAND, line.split(' '));
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

function fault(line: string): string {
  const parsed = parseLine(COMMAND, line.split(' '));
  return parsed.ok ? 'none' : parsed.message;
}

describe('parseLine', () => {
  it('reads short, long, joined and repeated options, flags and arguments', () => {
    const { options, arguments: given } = parse('this -m a.ts -p5 --tag x --tag=y --log-level error --local');
    expect(given).toEqual(['this']);
    expect(options.text('module')).toBe('a.ts');
    expect(options.integer('port')).toBe(5);
    expect(options.list('tag')).toEqual(['x', 'y']);
    expect(options.flag('local')).toBe(true);
    expect(options.text('log')).toBeUndefined();
  });

  it('a flag --no-… is on unless it is given', () => {
    expect(parse('-m a').options.flag('validate')).toBe(true);
    expect(parse('-m a --no-validate').options.flag('validate')).toBe(false);
  });

  it('D.1: long options may be abbreviated while they stay unique; a whole name is never ambiguous', () => {
    expect(parse('--mod a').options.text('module')).toBe('a');
    expect(parse('-m a --log d').options.text('log')).toBe('d');
    expect(fault('-m a --lo d')).toMatch(/^'--lo' can mean --local or --log or --log-level\./);
  });

  it('the last argument may be given several times where its declaration says so', () => {
    const what = { name: 'what', description: 'What', choices: ['this', 'that'], required: true, repeatable: true };
    const command: CommandDeclaration = { ...COMMAND, arguments: [what], options: [] };
    const several = parseLine(command, ['this', 'that', '--', 'this']);
    expect(several).toMatchObject({ ok: true, value: { arguments: ['this', 'that', 'this'] } });
    expect(parseLine(command, ['this', 'those'])).toMatchObject({
      message: expect.stringContaining("cannot be 'those'"),
    });
    expect(parseLine(command, [])).toMatchObject({ message: expect.stringContaining('needs <what>') });
    expect(usage(command)).toBe('osmosis try [options] <what...>');
  });

  it('knows aliases of options', () => {
    expect(parse('-m a --local-debug').options.flag('local')).toBe(true);
  });

  it('takes global options, and everything behind -- as arguments', () => {
    expect(parse('--json -m a -- this').arguments).toEqual(['this']);
    expect(fault('-m a -- --port')).toMatch(/^<what> cannot be '--port'/);
  });

  it.each([
    ['-m a --prot 1', "Unknown option '--prot' of 'osmosis try'. Did you mean '--port'?"],
    ['-m a -x', "Unknown option '-x'"],
    ['this', "'osmosis try' needs -m, --module <path>."],
    ['-m', '-m needs a value. Write it as --module <path>.'],
    ['-m --port 1', '-m needs a value.'],
    ['-m a -p 10', "--port cannot be '10'. Give a whole number from 0 to 9."],
    ['-m a -p 1.5', "--port cannot be '1.5'."],
    ['-m a --local=yes', "--local takes no value. Write it without '=yes'."],
    ['-m a --log-level loud', "--log-level cannot be 'loud'. Choose one of: info, error."],
    ['-m a other', "<what> cannot be 'other'. Choose one of: this, that."],
    ['-m a this that', "Unexpected argument 'that'."],
  ])('%s: %s', (line, message) => {
    expect(fault(line)).toContain(message);
  });
});

describe('DeclaredCommand', () => {
  @Command({ name: COMMAND.name })
  class TryCommand extends DeclaredCommand {
    seen: { options: ParsedOptions; args: readonly string[] } | undefined;

    constructor() {
      super(COMMAND, new ExitStatus());
    }

    protected override async execute(options: ParsedOptions, args: readonly string[]): Promise<number> {
      this.seen = { options, args };
      return 0;
    }
  }

  @Module({ providers: [TryCommand] })
  class TryModule {}

  it.each(['this -m a.ts -p5 --tag x --tag=y', '-m a --no-validate --local-debug --log-l info', '-m -weird'])(
    'gives commander what the thin entry has read: %s',
    async (line) => {
      const own = parse(line);
      const app = await CommandFactory.createWithoutRunning(TryModule, { logger: false });
      await app.get(CommandRunnerService).run(['node', 'osmosis', COMMAND.name, ...own.canonical]);
      const command = app.get(TryCommand);
      await app.close();
      expect(command.seen?.args).toEqual(own.arguments);
      for (const key of ['module', 'log', 'logLevel'] as const) {
        expect(command.seen?.options.text(key)).toBe(own.options.text(key));
      }
      expect(command.seen?.options.integer('port')).toBe(own.options.integer('port'));
      expect(command.seen?.options.list('tag')).toEqual(own.options.list('tag'));
      for (const key of ['local', 'validate']) {
        expect(command.seen?.options.flag(key)).toBe(own.options.flag(key));
      }
    },
  );
});
