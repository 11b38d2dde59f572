import type { ConsoleSessionView } from '@tollgate/portal-contract/answers/console'
import {
  CONSOLE_RIGHTS,
  mayOperate,
  type ConsoleRight,
} from '@tollgate/portal-contract/console-rights'
import { consoleSession as table } from '@tollgate/portal-contract/routes/console'
import type { FastifyInstance } from 'fastify'
import { pageService, type PagePlace } from '../shell/page-service.ts'
import { PortalFault } from '../shell/portal-route.ts'
import type { ConsoleSession } from './usecases/console-operator.ts'

type ConsolePlace = PagePlace<ConsoleSession, ConsoleSessionView, ConsoleRight>

export interface ConsoleDeps {
  readonly console: Omit<ConsolePlace, 'root' | 'table' | 'refusal' | 'userOf'>
  /** Whether an error means that the database is away. */
  readonly isUnavailable: (error: unknown) => boolean
}

/** The operator's console: its web application under `/console`, and its JSON API. */
export function consoleService(
  app: FastifyInstance,
  { console, isUnavailable }: ConsoleDeps,
): void {
  const place: ConsolePlace = {
    ...console,
    root: '/console',
    table,
    refusal({ right }, { operator }) {
      if (right === null || mayOperate(operator.role, right)) return null
      return new PortalFault(
        403,
        'not_allowed',
        `Your role does not allow you to ${CONSOLE_RIGHTS[right]}. Ask an owner for another role.`,
      )
    },
    userOf: ({ operator }) => operator.id,
  }
  pageService(app, place, isUnavailable)
  // The address has nothing else for a browser.
  app.get('/', (_request, reply) => reply.redirect('/console/'))
}
