import type { FastifyInstance, FastifyReply } from 'fastify'
import type { TokenSite } from '../../usecases/card-tokens/token-site.ts'
import type { BrowserFile, BrowserFiles } from './browser-files.ts'
import { VERSION_OF_UNVERSIONED_PAGES } from './inventory.ts'
import {
  ASSET_HEADERS,
  fieldPageHeaders,
  noCardHeaders,
  SHOP_SCRIPT_HEADERS,
} from './page-headers.ts'
import { pageViolations } from './page-violations.ts'

export interface HostedFieldDeps {
  /** False while starting, shutting down, or without what a payment needs. */
  readonly isReady: () => boolean
  readonly browserFiles: BrowserFiles
  /**
   * The origins of a site's pages, `*` for any. Null for a site that does not exist or has no key:
   * no token of it can be requested.
   */
  readonly findTokenSite: (siteId: bigint) => Promise<TokenSite | null>
  /** Whether an error means that the database is away. */
  readonly isUnavailable: (error: unknown) => boolean
  /** Hears which directive of the page's policy was broken, as a browser reports it. */
  readonly countPageViolation: (directive: string) => void
}

const SITE_ID = /^[1-9][0-9]{0,17}$/
/** An origin that a policy may name: nothing in it ends a directive. IPv6 is not accepted. */
const ORIGIN = /^(?:\*|https?:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?)$/
/** A changed script reaches shops that name no version within this time. */
const UNVERSIONED_CACHE = 'public, max-age=300'
const VERSIONED_CACHE = 'public, max-age=31536000, immutable'

/**
 * The page with the card fields that shops put into theirs, and its scripts. Nothing here reads or
 * logs a card: the page sends it to the token service.
 */
export function hostedField(app: FastifyInstance, deps: HostedFieldDeps): void {
  const { assets, shopScripts, fieldPage, noCardPage } = deps.browserFiles

  app.addHook('onRequest', (_request, reply, done) => {
    if (deps.isReady()) return done()
    showNoCard(reply.header('retry-after', '1'), 503, 'The payment service is being restarted.')
  })

  app.setErrorHandler<Error & { readonly statusCode?: number }>((error, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode < 500)
      return reply.code(statusCode).type('text/plain').send('It cannot be read.')
    // The address is not logged: who confuses it with a form may have put a card there.
    request.log.error({ fault: error.name }, 'A card field page failed with an internal error.')
    return showNoCard(reply, 500, 'The payment service has an internal error.')
  })

  app.get<{ Querystring: { site?: unknown } }>('/pay/field.html', async (request, reply) => {
    const { site } = request.query
    if (typeof site !== 'string' || !SITE_ID.test(site)) {
      return showNoCard(reply, 404, 'The address names no site.')
    }
    let found: TokenSite | null
    try {
      found = await deps.findTokenSite(BigInt(site))
    } catch (error) {
      if (!deps.isUnavailable(error)) throw error
      const wait = reply.header('retry-after', '1')
      return showNoCard(wait, 503, 'The payment service cannot be used at the moment.')
    }
    if (found === null) return showNoCard(reply, 404, 'There is no such site.')
    const origins = found.origins.filter((origin) => ORIGIN.test(origin))
    // The gateway's own pages hold the fields with any list of origins. A shop's page shows what is
    // missing.
    if (origins.length === 0 && request.headers['sec-fetch-site'] !== 'same-origin') {
      return showNoCard(reply, 404, 'The site does not say which pages its card fields belong to.')
    }
    return reply
      .headers(fieldPageHeaders(origins))
      .type('text/html; charset=utf-8')
      .send(fieldPage(site, origins))
  })

  for (const [address, file] of assets) {
    app.get(address, (_request, reply) => serve(reply.headers(ASSET_HEADERS), file))
  }
  for (const [version, file] of shopScripts) {
    app.get(`/pay/${version}/fields.js`, (_request, reply) =>
      serve(reply.headers(SHOP_SCRIPT_HEADERS).header('cache-control', VERSIONED_CACHE), file),
    )
  }
  const unversioned = shopScripts.get(VERSION_OF_UNVERSIONED_PAGES)
  if (unversioned !== undefined) {
    app.get('/pay/fields.js', (_request, reply) =>
      serve(
        reply.headers(SHOP_SCRIPT_HEADERS).header('cache-control', UNVERSIONED_CACHE),
        unversioned,
      ),
    )
  }

  pageViolations(app, deps.countPageViolation)

  function showNoCard(reply: FastifyReply, status: number, reason: string): FastifyReply {
    return reply
      .code(status)
      .headers(noCardHeaders())
      .type('text/html; charset=utf-8')
      .send(noCardPage(reason))
  }
}

function serve(reply: FastifyReply, { type, body }: BrowserFile): FastifyReply {
  return reply.type(type).send(body)
}
