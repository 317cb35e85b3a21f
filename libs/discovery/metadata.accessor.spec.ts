import { MetadataAccessor } from './metadata.accessor.js';

const mark =
  (note: string): MethodDecorator =>
  (prototype, name) =>
    MetadataAccessor.defineOnMethod('test:mark', { note }, prototype, name);

class Base {
  @mark('first')
  first(_text: string, _count: number): void {}

  @mark('second')
  second(): void {}

  plain(): void {}
}

class Child extends Base {
  override first(_text: string, _count: number): void {}

  @mark('second, again')
  override second(): void {}

  @mark('third')
  third(_text: string, _more: unknown = 1): void {}
}

describe('MetadataAccessor', () => {
  it('finds decorated methods, parents first, an override in the place of what it overrides', () => {
    const found = MetadataAccessor.methodsOf<{ note: string }>('test:mark', Child);
    expect(found.map(({ methodName, metadata }) => [methodName, metadata.note])).toEqual([
      ['first', 'first'],
      ['second', 'second, again'],
      ['third', 'third'],
    ]);
  });

  it('knows the types of the parameters and how many there are before a default', () => {
    const [first, , third] = MetadataAccessor.methodsOf('test:mark', Child);
    expect(first?.parameterTypes).toEqual([String, Number]);
    expect(first?.arity).toBe(2);
    expect(third?.parameterTypes).toEqual([String, Object]);
    expect(third?.arity).toBe(1);
  });

  it('metadata of a class is its own', () => {
    MetadataAccessor.defineOnClass('test:class', { name: 'base' }, Base);
    expect(MetadataAccessor.ofClass('test:class', Base)).toEqual({ name: 'base' });
    expect(MetadataAccessor.ofClass('test:class', Child)).toBeUndefined();
    expect(MetadataAccessor.isOnlyInherited('test:class', Child)).toBe(true);
    expect(MetadataAccessor.isOnlyInherited('test:class', Base)).toBe(false);
  });

  it('what a decorator wrote cannot be changed', () => {
    const metadata = MetadataAccessor.ofClass<{ name: string }>('test:class', Base)!;
    expect(() => Object.assign(metadata, { name: 'other' })).toThrow(TypeError);
  });
});
