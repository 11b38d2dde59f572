import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ChallengePages, ReturnForm } from '../../usecases/three-ds/challenge-pages.ts'
import type { CollectBrowser } from '../../usecases/three-ds/collect-browser.ts'
import { simulatedPath, type SimulatedIssuer } from '../../usecases/three-ds/simulated-issuer.ts'
import { describeFault } from '../payment/fault-record.ts'
import { FORM_LIMIT, takeRawBodies } from '../servers/raw-bodies.ts'
import type { PageName, WritePage } from './page-files.ts'
import { readField, readFields } from './page-forms.ts'
import type { PageReach } from './page-headers.ts'
import { COLLECT_PATH } from './prepare-service.ts'
import { showNotice, showPage } from './show-page.ts'

export interface ThreeDsPagesDeps {
  readonly collectBrowser: CollectBrowser
  readonly challengePages: ChallengePages
  readonly writeThreeDsPage: WritePage
  /** Serves the issuer of test cards under this origin; null in production and without it. */
  readonly simulatedIssuer: SimulatedIssuer | null
  /** False while starting, shutting down, or without what a payment needs. */
  readonly isReady: () => boolean
  /** Whether an error means that the database is away. */
  readonly isUnavailable: (error: unknown) => boolean
}

export const METHOD_NOTIFY_PATH = '/V2/Cruise/MethodNotify'
export const STEP_UP_PATH = '/V2/Cruise/StepUp'
export const TERM_PATH = '/V2/Cruise/Term'
const DATA_PATH = `${COLLECT_PATH}/data`
const STATUS_PATH = `${STEP_UP_PATH}/status`
const BROWSER_FIELDS = [
  'handle',
  'language',
  'javaEnabled',
  'colorDepth',
  'screenHeight',
  'screenWidth',
  'timeZone',
]
const NOT_OPEN =
  'This page belongs to a payment that is over, or was not opened by the shop. Go back to the shop.'
const AWAY = 'The payment service cannot be used at the moment. Go back to the shop and try again.'
/** Browsers' forms only. */
const OTHER_METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * The 3-D Secure addresses for browsers. Nothing that a browser sends here decides about a
 * payment. Pages record its progress, and the issuer reports the result to the gateway itself.
 */
export function threeDsPages(app: FastifyInstance, deps: ThreeDsPagesDeps): void {
  const { challengePages, collectBrowser } = deps
  takeRawBodies(app, FORM_LIMIT)

  app.addHook('onRequest', (_request, reply, done) => {
    if (deps.isReady()) return done()
    notice(reply.header('retry-after', '1'), 503, 'Please try again', AWAY)
  })

  app.setErrorHandler<Error & { readonly statusCode?: number }>((error, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode < 500) return notice(reply, statusCode, 'The request cannot be read', NOT_OPEN)
    if (deps.isUnavailable(error)) {
      return notice(reply.header('retry-after', '1'), 503, 'Please try again', AWAY)
    }
    request.log.error(describeFault(error), 'A 3-D Secure page failed with an internal error.')
    return notice(
      reply,
      500,
      'Something went wrong',
      'The payment service has an internal error. Go back to the shop.',
    )
  })

  for (const url of [COLLECT_PATH, DATA_PATH, METHOD_NOTIFY_PATH, STEP_UP_PATH, TERM_PATH]) {
    app.route({
      method: OTHER_METHODS,
      url,
      handler: (_request, reply) =>
        notice(reply.header('allow', 'POST'), 405, 'Nothing to see here', NOT_OPEN),
    })
  }

  app.post(COLLECT_PATH, async (request, reply) => {
    const opened = await collectBrowser.open(readField(request, 'JWT'))
    if (opened === null) return notice(reply, 400, 'This page can not be opened', NOT_OPEN)
    const { handle, method, reference, test } = opened
    const methodUrl = method === null ? '' : issuerAddress(method.url, test)
    const urls = method === null ? [] : [methodUrl]
    return show(
      reply,
      'collect',
      { frames: urls, forms: urls, anyHttps: !test },
      { methodUrl, methodData: method?.data ?? '' },
      { reference, handle, hasMethod: method !== null },
    )
  })

  app.post(DATA_PATH, async (request, reply) => {
    const fields = readFields(request, BROWSER_FIELDS)
    if (fields !== null) await collectBrowser.keep(fields)
    // The same for all, so that handles cannot be guessed by trial.
    return reply.code(204).header('cache-control', 'no-store').send()
  })

  app.post(METHOD_NOTIFY_PATH, async (request, reply) => {
    await collectBrowser.methodDone(readField(request, 'threeDSMethodData'))
    return show(reply, 'methodDone', {}, {}, {})
  })

  app.post(STEP_UP_PATH, async (request, reply) => {
    const page = await challengePages.open(readField(request, 'JWT'), readField(request, 'MD'))
    if (page === null) return notice(reply, 400, 'This page can not be opened', NOT_OPEN)
    if (page.kind === 'over') return showWayBack(reply, page.form, '_self')
    const { handle, leave } = page
    if (page.kind === 'in progress') {
      return show(reply, 'inProgress', { forms: [leave.url] }, formValues(leave), { handle })
    }
    const { fields: challenge, test, window } = page
    const acsUrl = issuerAddress(page.acsUrl, test)
    return show(
      reply,
      'stepUp',
      { frames: [acsUrl], forms: [acsUrl, leave.url], looksFor: [acsUrl], anyHttps: !test },
      { ...formValues(leave), ...challenge, acsUrl, window },
      { handle },
    )
  })

  app.get(STATUS_PATH, async (request, reply) => {
    const handle = request.headers['page-handle']
    const found = await challengePages.status(typeof handle === 'string' ? handle : '')
    void reply.header('cache-control', 'no-store')
    if (found === 'unknown') return reply.code(404).send({ state: 'unknown' })
    if (found === 'waiting') return reply.send({ state: 'waiting' })
    return reply.send({ state: 'over', response: found.fields.Response })
  })

  app.post(TERM_PATH, async (request, reply) => {
    // Each by itself: even if the issuer changed its message, the customer returns to the shop.
    const session = readField(request, 'threeDSSessionData')
    const form = await challengePages.comeBack(readField(request, 'cres'), session)
    if (form === null) return notice(reply, 400, 'This page can not be opened', NOT_OPEN)
    return showWayBack(reply, form, '_parent')
  })

  function showWayBack(
    reply: FastifyReply,
    form: ReturnForm,
    target: '_self' | '_parent',
  ): FastifyReply {
    return show(reply, 'back', { forms: [form.url] }, { ...formValues(form), target }, {})
  }

  /** Live accounts have issuers of their own, even at an address of the same path. */
  function issuerAddress(url: string, test: boolean): string {
    return test && deps.simulatedIssuer !== null ? (simulatedPath(url) ?? url) : url
  }

  function notice(reply: FastifyReply, status: number, title: string, text: string): FastifyReply {
    return showNotice(reply, deps.writeThreeDsPage, status, { title, text })
  }

  function show(
    reply: FastifyReply,
    name: PageName,
    reach: PageReach,
    values: Readonly<Record<string, string>>,
    data: Readonly<Record<string, unknown>>,
  ): FastifyReply {
    return showPage(reply, deps.writeThreeDsPage, { name, reach, values, data })
  }
}

function formValues({ fields, url }: ReturnForm): Record<string, string> {
  return { ...fields, returnUrl: url }
}
