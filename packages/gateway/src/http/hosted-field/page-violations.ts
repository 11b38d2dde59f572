import type { FastifyInstance } from 'fastify'

/** The address for browsers' reports of policy violations. */
export const VIOLATIONS_PATH = '/pay/violations'

const BODY_LIMIT_BYTES = 16 * 1024
/** Directives that are counted by name. A report comes from a browser that may say anything. */
const DIRECTIVES: ReadonlySet<string> = new Set([
  'script-src',
  'script-src-elem',
  'script-src-attr',
  'style-src',
  'style-src-elem',
  'style-src-attr',
  'img-src',
  'font-src',
  'frame-src',
  'connect-src',
  'form-action',
  'base-uri',
  'frame-ancestors',
  'require-trusted-types-for',
  'trusted-types',
])

/**
 * Counts what browsers refused to do in the page that takes cards. Only browsers see that the page
 * was changed on its way, or framed where it does not belong. Of a report, only the directive is
 * kept and logged, as addresses and samples may hold typed text.
 */
export function pageViolations(app: FastifyInstance, count: (directive: string) => void): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/csp-report',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    (_request, body, done) => done(null, body),
  )
  app.post(VIOLATIONS_PATH, (request, reply) => {
    count(directiveOf(String(request.body)))
    return reply.code(204).send()
  })
}

function directiveOf(report: string): string {
  const [, name = ''] = /"(?:effective|violated)-directive"\s*:\s*"([a-z-]+)/.exec(report) ?? []
  return DIRECTIVES.has(name) ? name : 'other'
}
