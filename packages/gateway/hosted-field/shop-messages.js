'use strict'

/**
 * Whatever the shop's page may say to this one. A message has a known type and known parts, each of
 * the form given here; anything else is refused as a whole.
 */

/** Texts that a shop may put in its own language; English is what they are otherwise. */
const DEFAULT_TEXTS = {
  title: 'Card details',
  number: 'Card number',
  expiry: 'Expiry date',
  code: 'Security code',
  expiryHint: 'Month and year',
  codeHint: '3 digits on the back',
  codeHintFour: '4 digits on the front',
  numberEmpty: 'Enter the card number.',
  numberShort: 'The card number is not complete.',
  numberWrong: 'This card number is not right. Compare it with the card.',
  expiryEmpty: 'Enter the expiry date.',
  expiryShort: 'The expiry date is not complete.',
  expiryWrong: 'This expiry date is wrong or in the past.',
  codeEmpty: 'Enter the security code.',
  codeShort: 'The security code is not complete.',
  codeWrong: 'This security code is too long for the card.',
  refused: 'The card could not be taken. Please try again.',
  unreachable: 'No answer came. Please try again in a moment.',
  done: '{brand} ending in {last4}',
}
const TEXT_LIMIT = 200

/** @typedef {{ readonly what: string, readonly isGood: (value: unknown) => boolean }} Form */

/**
 * @param {RegExp} pattern
 * @param {string} what
 * @returns {Form}
 */
function matching(pattern, what) {
  return { what, isGood: (value) => typeof value === 'string' && pattern.test(value) }
}

/**
 * @param {readonly string[]} words
 * @returns {Form}
 */
function oneOf(words) {
  return { what: `one of ${words.join(', ')}`, isGood: (value) => words.includes(String(value)) }
}

/**
 * @param {number} least
 * @param {number} most
 * @returns {Form}
 */
function between(least, most) {
  return {
    what: `a number from ${least} to ${most}`,
    isGood: (value) => typeof value === 'number' && value >= least && value <= most,
  }
}

const TRUTH = { what: 'true or false', isGood: (/** @type {unknown} */ v) => typeof v === 'boolean' }
const COLOUR = matching(/^#[0-9a-f]{6}$/i, 'a colour such as #1a2b3c')
const TEXT = {
  what: `a text of up to ${TEXT_LIMIT} characters`,
  isGood: (/** @type {unknown} */ value) => typeof value === 'string' && value.length <= TEXT_LIMIT,
}
const FIELD = oneOf(['number', 'expiry', 'code'])

/** What of the look a shop may choose. Never a piece of CSS: a style sheet can read values out. */
const STYLES = /** @type {Readonly<Record<string, Form>>} */ ({
  theme: oneOf(['light', 'dark', 'auto']),
  font: oneOf(['system', 'serif', 'mono']),
  fontSize: between(12, 24),
  radius: between(0, 24),
  textColor: COLOUR,
  labelColor: COLOUR,
  backgroundColor: COLOUR,
  borderColor: COLOUR,
  focusColor: COLOUR,
  errorColor: COLOUR,
})

/**
 * @param {Readonly<Record<string, Form>>} forms
 * @returns {Form}
 */
function partsOf(forms) {
  return {
    what: `an object with some of ${Object.keys(forms).join(', ')}`,
    isGood: (value) => isPlainObject(value) && problemOf(value, forms, []) === null,
  }
}

/** @type {Readonly<Record<string, { required: readonly string[], parts: Readonly<Record<string, Form>> }>>} */
const SHOP_MESSAGES = {
  'tollgate.setup': {
    required: [],
    parts: {
      expiry: TRUTH,
      code: TRUTH,
      language: matching(/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i, 'a language such as de or pt-BR'),
      direction: oneOf(['ltr', 'rtl']),
      texts: partsOf(Object.fromEntries(Object.keys(DEFAULT_TEXTS).map((key) => [key, TEXT]))),
      style: partsOf(STYLES),
    },
  },
  'tollgate.tokenize': {
    required: ['id', 'timestamp', 'uniqueId', 'signature'],
    parts: {
      id: matching(/^[\w-]{1,64}$/, 'up to 64 letters, digits, _ and -'),
      timestamp: matching(/^[0-9]{14}$/, '14 digits: YYYYMMDDHHMMSS in UTC'),
      uniqueId: matching(/^[0-9a-z]{1,32}$/i, 'up to 32 letters and digits'),
      signature: matching(/^[0-9a-f]{64}$/i, '64 hexadecimal digits'),
    },
  },
  'tollgate.focus': { required: ['field'], parts: { field: FIELD } },
  'tollgate.clear': { required: [], parts: {} },
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isPlainObject(value) {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/**
 * @param {Record<string, unknown>} value
 * @param {Readonly<Record<string, Form>>} forms
 * @param {readonly string[]} required
 * @returns {string | null} What is wrong, without the values that were sent.
 */
function problemOf(value, forms, required) {
  for (const name of required) {
    if (!Object.hasOwn(value, name)) return `${name} is missing; expected ${forms[name]?.what}.`
  }
  for (const [name, part] of Object.entries(value)) {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined
    if (form === undefined) {
      return `It has a part that is not known; known are ${Object.keys(forms).join(', ')}.`
    }
    if (!form.isGood(part)) return `${name} is not right; expected ${form.what}.`
  }
  return null
}

/**
 * Reads what a shop's page said. Null: it is not meant for this page at all.
 *
 * @param {unknown} data
 * @returns {{ type: string, parts: Record<string, any>, problem: string | null } | null}
 */
function readShopMessage(data) {
  if (!isPlainObject(data)) return null
  const { type, ...parts } = data
  if (typeof type !== 'string' || !type.startsWith('tollgate.')) return null
  const shape = Object.hasOwn(SHOP_MESSAGES, type) ? SHOP_MESSAGES[type] : undefined
  if (shape === undefined) {
    const known = Object.keys(SHOP_MESSAGES).join(', ')
    return { type, parts: {}, problem: `The type is not known; known are ${known}.` }
  }
  return { type, parts, problem: problemOf(parts, shape.parts, shape.required) }
}
