import type * as Rules from 'class-validator';

/** Rules that only say which texts they take, in words JSON Schema lacks. */
export const textRules = (rule: typeof Rules): ReadonlySet<string> =>
  new Set<string>([
    ...[rule.CONTAINS, rule.NOT_CONTAINS, rule.IS_ALPHA, rule.IS_ALPHANUMERIC, rule.IS_ASCII, rule.IS_BASE32],
    ...[rule.IS_BASE58, rule.IS_BASE64, rule.IS_BIC, rule.IS_BOOLEAN_STRING, rule.IS_BTC_ADDRESS, rule.IS_BYTE_LENGTH],
    ...[
      rule.IS_CREDIT_CARD,
      rule.IS_CURRENCY,
      rule.IS_DATA_URI,
      rule.IS_DECIMAL,
      rule.IS_EAN,
      rule.IS_ETHEREUM_ADDRESS,
    ],
    ...[
      rule.IS_FIREBASE_PUSH_ID,
      rule.IS_FQDN,
      rule.IS_FULL_WIDTH,
      rule.IS_HALF_WIDTH,
      rule.IS_HASH,
      rule.IS_HEXADECIMAL,
    ],
    ...[rule.IS_HEX_COLOR, rule.IS_HSL, rule.IS_IBAN, rule.IS_IDENTITY_CARD, rule.IS_ISBN, rule.IS_ISIN],
    ...[rule.IS_ISO31661_ALPHA_2, rule.IS_ISO31661_ALPHA_3, rule.IS_ISRC, rule.IS_ISSN, rule.IS_JSON, rule.IS_JWT],
    ...[rule.IS_LATLONG, rule.IS_LOCALE, rule.IS_LOWERCASE, rule.IS_MAC_ADDRESS, rule.IS_MAGNET_URI],
    ...[rule.IS_MILITARY_TIME, rule.IS_MIME_TYPE, rule.IS_MOBILE_PHONE, rule.IS_MONGO_ID, rule.IS_MULTIBYTE],
    ...[rule.IS_NUMBER_STRING, rule.IS_OCTAL, rule.IS_PASSPORT_NUMBER, rule.IS_PHONE_NUMBER, rule.IS_PORT],
    ...[rule.IS_POSTAL_CODE, rule.IS_RGB_COLOR, rule.IS_SEM_VER, rule.IS_STRONG_PASSWORD, rule.IS_SURROGATE_PAIR],
    ...[rule.IS_TIMEZONE, rule.IS_UPPERCASE, rule.IS_VARIABLE_WIDTH],
  ]);
