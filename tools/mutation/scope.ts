import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setOf } from '../test-run/test-sets.ts'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Files and folders of code that decides about money, cards and outcomes. */
export const SOURCES: readonly string[] = [
  'packages/kernel/src',
  'packages/gateway/src/domain',
  'packages/gateway/src/portal/order/domain',
  'packages/gateway/src/portal/users/domain',
  'packages/portal/src/customers/searches.ts',
  'packages/portal/src/home/rates.ts',
  'packages/portal/src/order/read-amount.ts',
  'packages/portal/src/orders/filters.ts',
  // The outcome switches: what a bank's answer, an ended payment and an advice lead to.
  'packages/gateway/src/adapters/processor-iso8583/answers.ts',
  'packages/gateway/src/adapters/processor-iso8583/response-codes.ts',
  'packages/gateway/src/usecases/payments/deliver-advices.ts',
]

/** Tests that may notice a mutant. They run inside one process, so they need the set `quick`. */
export const TESTS: readonly string[] = [
  'packages/kernel/test',
  'packages/gateway/test/domain',
  'packages/gateway/test/usecases',
  'packages/gateway/test/portal',
  'packages/gateway/test/adapters/processor-iso8583',
  'packages/gateway/test/adapters/bank-control',
  'packages/gateway/test/adapters/operator-files',
  'packages/gateway/test/adapters/settlement-files',
  'packages/gateway/test/base',
  'packages/gateway/test/http/docs.test.ts',
  'packages/portal-contract/test',
  'packages/portal/test',
  'test/docs',
]

/** The paths of the sources that are mutated. */
export function sourceFiles(): string[] {
  return SOURCES.flatMap((each) => filesAt(each))
    .filter((path) => path.endsWith('.ts'))
    .sort()
}

/** The paths of the test files that run against each mutant. */
export function testFiles(): string[] {
  return TESTS.flatMap((each) => filesAt(each))
    .filter((path) => path.endsWith('.test.ts') && setOf(path) === 'quick')
    .sort()
}

export function readSource(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

function filesAt(path: string): string[] {
  const absolute = join(ROOT, path)
  if (statSync(absolute).isFile()) return [path]
  return readdirSync(absolute, { recursive: true, encoding: 'utf8' }).map((name) =>
    relative(ROOT, join(absolute, name)).split(sep).join('/'),
  )
}
