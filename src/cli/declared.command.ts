import { Injectable } from '@nestjs/common';
import { CommandRunner } from 'nest-commander';
import { formOf, type CommandDeclaration, type OptionValue } from './declaration.js';
import { initialValue, readOptionValue } from './option-value.js';
import { OsmosisError } from '#domain';
import { ParsedOptions } from './parsed-options.js';

type Command = Parameters<CommandRunner['setCommand']>[0];

/** Where a command leaves the program's exit code. */
@Injectable()
export class ExitStatus {
  code = 0;
}

/**
 * A nest-commander command whose options and arguments come from its declaration: the one that help, completion and
 * documentation are made from.
 */
export abstract class DeclaredCommand extends CommandRunner {
  protected constructor(
    private readonly declaration: CommandDeclaration,
    private readonly status: ExitStatus,
  ) {
    super();
  }

  override setCommand(command: Command): this {
    for (const declared of this.declaration.options ?? []) {
      const form = formOf(declared);
      const initial = initialValue(form);
      if (form.value === undefined) {
        command.option(declared.flags, declared.description, initial as boolean);
        continue;
      }
      const read = (text: string, previous: OptionValue | undefined): OptionValue => {
        const value = readOptionValue(form, text);
        if (!value.ok) throw new OsmosisError('USAGE', value.message);
        return Array.isArray(previous) ? [...(previous as readonly string[]), text] : value.value;
      };
      command.option<OptionValue | undefined>(declared.flags, declared.description, read, initial);
    }
    for (const { name, required, repeatable, description } of this.declaration.arguments ?? []) {
      const written = repeatable ? `${name}...` : name;
      command.argument(required ? `<${written}>` : `[${written}]`, description);
    }
    command.exitOverride((error) => {
      throw new OsmosisError('USAGE', error.message, { cause: error });
    });
    return super.setCommand(command);
  }

  override async run(args: string[]): Promise<void> {
    const options = new ParsedOptions(this.command.opts<Record<string, OptionValue | undefined>>());
    this.status.code = await this.execute(options, args);
  }

  /** Does the command's work and gives the exit code. */
  protected abstract execute(options: ParsedOptions, args: readonly string[]): Promise<number>;
}
