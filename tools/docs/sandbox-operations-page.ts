import { readFileSync } from 'node:fs'
import {
  SANDBOX_OPERATIONS,
  type OperationDescription,
} from '../../packages/gateway/src/domain/sandbox/sandbox-operation.ts'
import { table, withTables } from './doc-page.ts'

/** Relative to the root of the repository. */
export const SANDBOX_OPERATIONS_PAGE = 'docs/integrators/sandbox-operations.md'

/** The page with its table of operations written from the code; the rest of its text stays. */
export function sandboxOperationsPage(): string {
  const page = readFileSync(new URL(`../../${SANDBOX_OPERATIONS_PAGE}`, import.meta.url), 'utf8')
  const named = (members: readonly string[]): string =>
    members.map((member) => `\`${member}\``).join(', ')
  return withTables(page, {
    operations: () =>
      table([
        ['Operation', 'Members', 'Members that may be left out', 'Effect'],
        ...Object.entries<OperationDescription>(SANDBOX_OPERATIONS).map(
          ([name, { effect, needs, takes }]) => [`\`${name}\``, named(needs), named(takes), effect],
        ),
      ]),
  })
}
