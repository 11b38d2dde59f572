'use strict'

/**
 * The digits of what was typed or pasted; those of other scripts count as well.
 *
 * @param {string} text
 * @returns {string}
 */
function digitsIn(text) {
  return text.normalize('NFKC').replace(/[^0-9]/g, '')
}

/**
 * Where the caret belongs so that it stands behind so many digits.
 *
 * @param {string} text
 * @param {number} count
 * @returns {number}
 */
function caretBehind(text, count) {
  let seen = 0
  for (let index = 0; index < text.length; index += 1) {
    if (seen === count) return index
    if (text[index] !== ' ') seen += 1
  }
  return text.length
}

/**
 * Keeps an input to digits, written as `format` says, and the caret where the person left it.
 *
 * @param {HTMLInputElement} input
 * @param {{ maxLength: () => number, format: (digits: string) => string, changed: () => void }} rules
 */
function keepToDigits(input, { maxLength, format, changed }) {
  let before = ''
  input.addEventListener('input', (event) => {
    const caret = input.selectionStart ?? input.value.length
    let digits = digitsIn(input.value)
    let behind = digitsIn(input.value.slice(0, caret)).length
    // Who deletes the blank between two groups means the digit beside it.
    if (digits === before && event instanceof InputEvent) {
      if (event.inputType === 'deleteContentBackward' && behind > 0) {
        digits = digits.slice(0, behind - 1) + digits.slice(behind)
        behind -= 1
      } else if (event.inputType === 'deleteContentForward') {
        digits = digits.slice(0, behind) + digits.slice(behind + 1)
      }
    }
    digits = digits.slice(0, maxLength())
    before = digits
    input.value = format(digits)
    if (document.activeElement === input) {
      const position = caretBehind(input.value, behind)
      input.setSelectionRange(position, position)
    }
    changed()
  })
}
