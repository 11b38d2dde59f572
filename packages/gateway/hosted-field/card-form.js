'use strict'

/** @typedef {'number' | 'code'} Field */
/** @typedef {Partial<typeof DEFAULT_TEXTS>} Texts */

/** @type {readonly Field[]} */
const FIELDS = ['number', 'code']

/** @type {Readonly<Record<Field, AutoFill>>} What browsers may offer for a field that is empty. */
const OFFERED = { number: 'cc-number', code: 'cc-csc' }

/**
 * The two fields with what stands around them. It knows nothing of the shop's page.
 *
 * @param {object} watcher
 * @param {(state: object) => void} watcher.changed Is told whenever something else is true of the
 *   fields; never a digit, nor how many there are.
 * @param {(what: 'focus' | 'blur' | 'submit', field: Field) => void} watcher.acted
 */
function createCardForm({ changed, acted }) {
  const inputs = { number: inputCalled('number'), code: inputCalled('code') }
  let texts = { ...DEFAULT_TEXTS }
  let asksForCode = true
  let lastState = ''

  const digitsOf = (/** @type {Field} */ field) => digitsIn(inputs[field].value)
  const brand = () => brandOf(digitsOf('number'))
  const usedFields = () => FIELDS.filter((field) => field === 'number' || asksForCode)
  const judge = (/** @type {Field} */ field) =>
    field === 'number' ? judgeNumber(digitsOf('number')) : judgeCode(digitsOf('code'), brand())

  /** @type {(field: Field) => string} Why the field can't be sent; nothing when it can. */
  function problemOfField(field) {
    const judgement = judge(field)
    if (judgement === 'valid') return ''
    const number = { empty: texts.numberEmpty, short: texts.numberShort, wrong: texts.numberWrong }
    const code = { empty: texts.codeEmpty, short: texts.codeShort, wrong: texts.codeWrong }
    return (field === 'number' ? number : code)[judgement]
  }

  /** @type {(field: Field, problem: string) => void} */
  function showProblem(field, problem) {
    partCalled(`${field}-error`).textContent = problem
    inputs[field].setAttribute('aria-invalid', String(problem !== ''))
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

  keepToDigits(inputs.number, {
    maxLength: () => Math.max(...brandForm(brand()).lengths),
    format: groupDigits,
    changed: () => typed('number'),
  })
  keepToDigits(inputs.code, {
    maxLength: () => Math.max(...brandForm(brand()).codeLengths),
    format: (digits) => digits,
    changed: () => typed('code'),
  })
  for (const field of FIELDS) {
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
    /** @param {{ code: boolean, texts: Texts }} options */
    setUp(options) {
      asksForCode = options.code
      texts = { ...DEFAULT_TEXTS, ...options.texts }
      document.title = texts.title
      partCalled('card').setAttribute('aria-label', texts.title)
      partCalled('number-label').textContent = texts.number
      partCalled('code-label').textContent = texts.code
      partCalled('code-field').hidden = !asksForCode
      partCalled('card').toggleAttribute('data-without-code', !asksForCode)
      for (const field of FIELDS) showProblem(field, '')
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
    /** The digits, for the token service and nobody else. */
    read: () => ({ number: digitsOf('number'), code: asksForCode ? digitsOf('code') : '' }),
    /** @param {boolean} isLocked */
    lock(isLocked) {
      for (const field of FIELDS) inputs[field].readOnly = isLocked
    },
    brand,
    texts: () => texts,
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
