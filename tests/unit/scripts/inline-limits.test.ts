import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { inlineUses } from '#scripts/inline-limits.ts';

test('values of limits stand where they are used', () => {
  expect(inlineUses('limits.uploadExtensions.includes(name) && size < limits.pathBytes')).toBe(
    `${JSON.stringify(limits.uploadExtensions)}.includes(name) && size < ${limits.pathBytes}`,
  );
});

test('several of them are taken out at once', () => {
  expect(inlineUses('const { volumeMin, volumeStep: step } = limits;')).toBe(
    `const { volumeMin, volumeStep: step } = {volumeMin:${limits.volumeMin},volumeStep:${limits.volumeStep}};`,
  );
});

test('other objects of that name are left alone', () => {
  const others = "sandbox.limits.seconds; '#contract/limits.ts'; customizable_skip_limits.x";
  expect(inlineUses(others)).toBe(others);
});

test('a limit that does not exist ends the build', () => {
  expect(() => inlineUses('limits.nowhere')).toThrow('There is no limit called nowhere.');
});
