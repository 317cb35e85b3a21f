import { Inject, Injectable, Module, Scope } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { OsmosisDiscoveryModule } from './discovery.module.js';
import { InvocationScope } from './invocation.scope.js';
import { MethodInvoker } from './method.invoker.js';
import { ProviderExplorer, type ProviderDescriptor } from './provider.explorer.js';

@Injectable()
class Plain {
  constructor(readonly name = 'plain') {}
  whoAmI(more: string): string {
    return `${this.name} ${more}`;
  }
}
Reflect.defineMetadata('design:paramtypes', [], Plain);

@Injectable({ scope: Scope.REQUEST })
class Scoped {
  static made = 0;
  readonly number = ++Scoped.made;
  whoAmI(): string {
    return `scoped ${this.number}`;
  }
}

@Injectable()
class NeedsScoped {
  constructor(readonly scoped: Scoped) {}
}

@Injectable()
class ByToken {
  constructor(@Inject('NAME') readonly name: string) {}
  whoAmI(): string {
    return this.name;
  }
}

@Module({ providers: [ByToken, { provide: 'NAME', useValue: 'one' }] })
class One {}

describe('ProviderExplorer', () => {
  async function explore(providers: object[], imports: object[] = []) {
    const module = await Test.createTestingModule({
      imports: [OsmosisDiscoveryModule, ...(imports as never[])],
      providers: providers as never[],
    }).compile();
    const found = new Map(
      module
        .get(ProviderExplorer)
        .explore()
        .map((provider) => [provider.type, provider]),
    );
    return {
      invoker: module.get(MethodInvoker),
      get: (type: unknown) => found.get(type as never) as ProviderDescriptor,
    };
  }

  it('gives the instance of what is made once, and none of what each rollout gets anew', async () => {
    const { get } = await explore([Plain, Scoped, NeedsScoped]);
    expect(get(Plain).instance).toBeInstanceOf(Plain);
    expect(get(Scoped).instance).toBeNull();
    expect(get(NeedsScoped).instance).toBeNull();
  });

  it('names the module', async () => {
    const { get } = await explore([], [One]);
    expect(get(ByToken).module).toBe('One');
  });

  it('finds what factories and values give by its class', async () => {
    const { get, invoker } = await explore([{ provide: 'X', useFactory: () => new Plain('from a factory') }]);
    const call = invoker.bind(get(Plain), 'whoAmI', 'osmosis:tool');
    expect(await call(new InvocationScope({}), 'says')).toBe('from a factory says');
  });

  it('a scoped provider is one instance a scope', async () => {
    const { get, invoker } = await explore([Scoped]);
    const call = invoker.bind(get(Scoped), 'whoAmI', 'osmosis:tool');
    const [first, second] = [new InvocationScope({}), new InvocationScope({})];
    const said = [await call(first), await call(first), await call(second)];
    expect(said[0]).toBe(said[1]);
    expect(said[2]).not.toBe(said[0]);
  });

  it('a name that is no method is an error of ours, at once', async () => {
    const { get, invoker } = await explore([Plain]);
    expect(() => invoker.bind(get(Plain), 'nothing', 'osmosis:tool')).toThrow(/Plain.nothing is no method/);
  });
});
