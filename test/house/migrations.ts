import {
  HEADERS_SINCE,
  type Migration,
} from '../../packages/gateway/src/adapters/postgres/connection/migration-files.ts'

/**
 * The schema of the last release. Nothing is released yet: it is the first one whose programs can
 * run on a newer schema. A release writes its own schema here.
 */
export const RELEASED_SCHEMA = HEADERS_SINCE

/**
 * Migrations after a release that its programs cannot run beside. A column may go with
 * the release after the one that stopped using it.
 */
export function besideBreaches(migrations: readonly Migration[], released: number): string[] {
  return migrations
    .filter(({ header, number }) => number > released && (header?.runsBeside ?? number) > released)
    .map(({ name }) => `${name} does not run beside the released schema ${released}`)
}
