'use strict'

/** @typedef {'number' | 'expiry' | 'code'} Field */
/** @typedef {Partial<typeof DEFAULT_TEXTS>} Texts */

/** @type {readonly Field[]} */
const FIELDS = ['number', 'expiry', 'code']

/** @type {Readonly<Record<Field, AutoFill>>} What browsers may offer for a field that is empty. */
const OFFERED = { number: 'cc-number', expiry: 'cc-exp', code: 'cc-csc' }

/**
 * The fields with what stands around them. It knows nothing of the shop's page.
 *
 * @param {object} watcher
 * @param {(state: object) => void} watcher.changed Is told whenever something else is true of the
 *   fields; never a digit, nor how many there are.
 * @param {(what: 'focus' | 'blur' | 'submit', field: Field) => void} watcher.acted
 */
function createCardForm({ changed, acted }) {
  const inputs = {
    number: inputCalled('number'),
    expiry: inputCalled('expiry'),
    code: inputCalled('code'),
  }
  let texts = { ...DEFAULT_TEXTS }
  let asksForExpiry = false
  let asksForCode = true
  let lastState = ''

  const digitsOf = (/** @type {Field} */ field) => digitsIn(inputs[field].value)
  const brand = () => brandOf(digitsOf('number'))
  const isUsed = (/** @type {Field} */ field) =>
    ({ number: true, expiry: asksForExpiry, code: asksForCode })[field]
  const usedFields = () => FIELDS.filter(isUsed)

  /** @param {Field} field */
  function judge(field) {
    if (field === 'number') return judgeNumber(digitsOf('number'))
    if (field === 'expiry') return judgeExpiry(digitsOf('expiry'), new Date())
    return judgeCode(digitsOf('code'), brand())
  }

  /** @type {(field: Field) => string} Why the field can't be sent; nothing when it can. */
  function problemOfField(field) {
    const judgement = judge(field)
    if (judgement === 'valid') return ''
    return problemTexts(texts)[field][judgement]
  }

  /** @param {string} text */
  function showStatus(text) {
    partCalled('status').textContent = text
  }

  /** @param {Field} field */
  function stateOf(field) {
    const judgement = judge(field)
    return { empty: judgement === 'empty', valid: judgement === 'valid' }
  }

  function tellState() {
    const shown = brand()
    partCalled('brand').textContent = shown ?? ''
    const hasThree = brandForm(shown).codeLengths.includes(3)
    partCalled('code-hint').textContent = hasThree ? texts.codeHint : texts.codeHintFour
    const state = {
      complete: usedFields().every((field) => judge(field) === 'valid'),
      brand: shown,
      number: stateOf('number'),
      ...(asksForExpiry ? { expiry: stateOf('expiry') } : {}),
      code: asksForCode ? stateOf('code') : null,
    }
    const text = JSON.stringify(state)
    if (text !== lastState) changed(state)
    lastState = text
  }

  /**
   * Browsers write what stands in fields to their disk, to have it after a crash, but for fields that
   * are to be off.
   *
   * @param {Field} field
   */
  function keepOffDisk(field) {
    inputs[field].autocomplete = inputs[field].value === '' ? OFFERED[field] : 'off'
  }

  /** @param {Field} field */
  function typed(field) {
    keepOffDisk(field)
    showStatus('')
    const isOpen = field === 'number' && mayGrow(digitsOf('number'))
    // While somebody types, only what more digits can't put right is said.
    showProblem(field, judge(field) === 'wrong' && !isOpen ? problemOfField(field) : '')
    if (judge('code') === 'valid') showProblem('code', '')
    tellState()
  }

  function clear() {
    partCalled('card', HTMLFormElement).reset()
    for (const field of FIELDS) {
      keepOffDisk(field)
      showProblem(field, '')
    }
    showStatus('')
    tellState()
  }

  const rules = digitRules(brand)
  for (const field of FIELDS) {
    keepToDigits(inputs[field], { ...rules[field], changed: () => typed(field) })
    inputs[field].addEventListener('focus', () => acted('focus', field))
    inputs[field].addEventListener('blur', () => {
      showProblem(field, judge(field) === 'empty' ? '' : problemOfField(field))
      acted('blur', field)
    })
    inputs[field].addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) acted('submit', field)
    })
  }
  partCalled('card').addEventListener('submit', (event) => event.preventDefault())

  return {
    /** @param {{ expiry: boolean, code: boolean, texts: Texts }} options */
    setUp(options) {
      asksForExpiry = options.expiry
      asksForCode = options.code
      texts = { ...DEFAULT_TEXTS, ...options.texts }
      document.title = texts.title
      partCalled('card').setAttribute('aria-label', texts.title)
      for (const field of FIELDS) {
        partCalled(`${field}-label`).textContent = texts[field]
        partCalled(`${field}-field`).hidden = !isUsed(field)
        showProblem(field, '')
      }
      partCalled('expiry-hint').textContent = texts.expiryHint
      partCalled('card').toggleAttribute('data-with-expiry', asksForExpiry)
      partCalled('card').toggleAttribute('data-without-code', !asksForCode)
      lastState = ''
    },
    tellState,
    showStatus,
    clear,
    focus: (/** @type {Field} */ field) => inputs[field].focus(),
    /** Shows every problem and goes to the first one. Null: there is none. */
    review() {
      const wrong = usedFields().filter((field) => judge(field) !== 'valid')
      for (const field of usedFields()) showProblem(field, problemOfField(field))
      const [field] = wrong
      if (field === undefined) return null
      inputs[field].focus()
      return { field, judgement: judge(field), message: problemOfField(field) }
    },
    /**
     * Number and code, for the token service and nobody else. The expiry date has the form of
     * PMT_EXPIRY, and is empty unless the shop asks for it.
     */
    read: () => ({
      number: digitsOf('number'),
      expiry: asksForExpiry ? digitsOf('expiry').replace(/^../, '$&20') : '',
      code: asksForCode ? digitsOf('code') : '',
    }),
    /** @param {boolean} isLocked */
    lock(isLocked) {
      for (const field of FIELDS) inputs[field].readOnly = isLocked
    },
    brand,
    texts: () => texts,
  }
}

/** @type {(field: Field, problem: string) => void} */
function showProblem(field, problem) {
  partCalled(`${field}-error`).textContent = problem
  inputCalled(field).setAttribute('aria-invalid', String(problem !== ''))
}

/** @param {typeof DEFAULT_TEXTS} texts */
function problemTexts(texts) {
  return {
    number: { empty: texts.numberEmpty, short: texts.numberShort, wrong: texts.numberWrong },
    expiry: { empty: texts.expiryEmpty, short: texts.expiryShort, wrong: texts.expiryWrong },
    code: { empty: texts.codeEmpty, short: texts.codeShort, wrong: texts.codeWrong },
  }
}

/** @param {() => string | null} brand Of the number as it is now. */
function digitRules(brand) {
  return {
    number: {
      read: digitsIn,
      maxLength: () => Math.max(...brandForm(brand()).lengths),
      format: groupDigits,
    },
    expiry: { read: expiryDigits, maxLength: () => EXPIRY_DIGITS, format: writeExpiry },
    code: {
      read: digitsIn,
      maxLength: () => Math.max(...brandForm(brand()).codeLengths),
      format: (/** @type {string} */ digits) => digits,
    },
  }
}

/**
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} [kind]
 * @returns {Kind}
 */
function partCalled(id, kind = /** @type {any} */ (HTMLElement)) {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`The page has no part called ${id}.`)
  return found
}

/** @param {Field} id */
function inputCalled(id) {
  return partCalled(id, HTMLInputElement)
}
