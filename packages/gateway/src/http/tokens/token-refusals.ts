/** A refusal of the token service: what stands in ERROR_CODE and ERROR_MESSAGE. */
export interface TokenRefusal {
  readonly code: number
  readonly message: string
  readonly httpStatus: number
  /** When it happens and what to do, for docs/integrators/tokens.md. */
  readonly meaning: string
}

function refusal(code: number, message: string, meaning: string, httpStatus = 200): TokenRefusal {
  return { code, message, httpStatus, meaning }
}

/** Every refusal, in the order of the checks; docs/integrators/tokens.md lists the same. */
export const TOKEN_REFUSALS = {
  unavailable: refusal(
    503,
    'Service Unavailable',
    'The gateway is starting, stopping or without its database. Send again, with another UNIQUE_ID.',
    503,
  ),
  method_not_allowed: refusal(
    113,
    'Invalid Data: use POST',
    'The method is not POST; wide sites may also use GET.',
    405,
  ),
  type_unsupported: refusal(
    113,
    'Invalid Data: content type',
    'The body is not form-encoded.',
    415,
  ),
  body_too_large: refusal(
    111,
    'Invalid length',
    'The body is above 64 KiB, or has more than 1,000 pairs.',
    413,
  ),
  request_malformed: refusal(113, 'Invalid Data', 'The request is not valid HTTP.', 400),
  value_undecodable: refusal(
    113,
    'Invalid Data',
    'A value is invalid in the charset, a parameter is repeated, or the format is neither JSON nor XML. The message names it.',
  ),
  parameter_missing: refusal(
    110,
    'Required field',
    'A required parameter or header is missing. The message names it.',
  ),
  no_key: refusal(
    502,
    'No secret key for this SITE_ID',
    'The site does not exist, has no token key, or its merchant is disabled.',
  ),
  timestamp_invalid: refusal(
    406,
    'X-TIMESTAMP is more than 300 seconds off',
    'X-TIMESTAMP is invalid, or is more than 300 seconds off. Check the clock of the machine that signs.',
  ),
  signature_mismatch: refusal(
    121,
    'Get CCtoken GUID signature match fail',
    'X-SIGNATURE does not match this timestamp, unique id and site id under a key of the site.',
  ),
  rate_exceeded: refusal(
    215,
    'Activity limit exceeded',
    'This site sends too many requests. Retry after the seconds in Retry-After.',
    429,
  ),
  version_unknown: refusal(
    113,
    'Invalid Data: REQUEST_API_VERSION',
    'REQUEST_API_VERSION is not 4.14, on a strict site.',
  ),
  not_numeric: refusal(
    112,
    'Not numeric',
    'A number is expected. The message names the parameter.',
  ),
  length_invalid: refusal(
    111,
    'Invalid length',
    'A value is too short or too long. The message names the parameter.',
  ),
  value_invalid: refusal(
    113,
    'Invalid Data',
    'A value is invalid. The message names the parameter.',
  ),
  unique_id_repeated: refusal(
    406,
    'UNIQUE_ID was used before',
    'The site sent this UNIQUE_ID within the last ten minutes. Every request needs a new one.',
  ),
  system_error: refusal(
    120,
    'System Error',
    'An internal error. Quote TOKEN_REQID to the operator.',
  ),
} as const satisfies Readonly<Record<string, TokenRefusal>>

export type TokenRefusalName = keyof typeof TOKEN_REFUSALS
