// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

struct SecretNamesTests {
    @Test(arguments: [
        "otp_code", "otpCode", "sms-otp", "userOTP", "pin2", "user_pin", "cardPin", "pin_code[0]", "user[pin]",
        "cvv_number", "session_value", "smtp_pass", "Set-Cookie", "session_cookie", "connect.sid", "X-Sid",
        "OTPCode", "userPINCode", "CVVValue", "DBPw", "dbPw2", "DBPwKey", "csrf", "X-XSRF", "bearer",
    ])
    func aNameThatEndsInAWordForASecretIsOne(name: String) {
        #expect(SecretNames.isSecret(name))
    }

    @Test(arguments: [
        "SAMLResponse", "DD-APPLICATION-KEY", "X-Amzn-Oidc-Data", "oauth_verifier", "verification_code", "mfaCode",
        "user_code", "GITHUB_PAT", "pem", "client.pkcs12", "PKCS12_BUNDLE", "login-code", "oneTimeCode", "otpcode",
        "invite_codes", "user[sms_code]", "recovery_codes", "securityCode2",
        "X-Amz-Server-Side-Encryption-Customer-Key",
    ])
    func whatServicesCallTheirSecretsIsKnown(name: String) {
        #expect(SecretNames.isSecret(name))
    }

    @Test(arguments: [
        "option", "adoption_code", "barcodes", "security", "verification", "mfa_code_length", "error_code", "zipCode",
        "code", "key", "ticket", "seed", "random_seed", "pattern", "path", "access_code_count", "cache-key", "spin",
        "author", "compass",
        "passport_number", "session_count", "auth_type", "pin_count", "otp_required", "account_sid", "MessageSid", "",
        "é_", "_", "Access-Control-Allow-Credentials",
    ])
    func whatTellsOfOneOrSoundsLikeOneIsNone(name: String) {
        #expect(!SecretNames.isSecret(name))
    }

    @Test(arguments: [
        ("token", true), ("tokens", true), ("my_tokens", true), ("accessToken", true), ("input_token", true),
        ("inputTokens", false), ("maxTokens", false), ("max_new_tokens", false), ("tokens_used", false),
        ("tokenExpiry", false), ("access_token_expires_in", false), ("token-endpoint", false), ("tokenizer", false),
        ("tokens_remaining", false), ("x-ratelimit-token", false), ("ratelimit_tokens", false), ("token_id", true),
        ("input_tokens_token", true), ("bookend", false), ("tokensecret", true),
    ])
    func tokensThatAreCountedAreNoSecrets(name: String, isSecret: Bool) {
        #expect(SecretNames.isSecret(name) == isSecret)
    }

    @Test(arguments: [
        ("pin", true), ("pin2", true), ("pin[0]", true), ("pin\u{B2}", true), ("pin\u{663}", true), ("2pin", true),
        ("my_pwd\u{B2}", true), ("smscode\u{663}", true),
        ("pwdß", false),
        ("pina", false), ("xpin", true), ("ypin", false), ("xxpin", false), ("Contraseña", true), ("contrasena", true),
        ("user[pin][3]", true), ("a.b.pin", true), ("pin.b", false), ("[]", false), ("123", false), ("my_pwd", true),
        ("pwdx", false), ("smscodes", true), ("smscode", true), ("codesms", false), ("zipcodes", false),
        ("PIN", true), ("myPIN", true), ("myPINs", false), ("pinCode", true), ("pin_code_value", true),
        ("pin_name", false), ("code_pin", true), ("opinion", false), ("SIDValue", false), ("sid", true),
        ("accountSid", false),
    ])
    func aWordIsOneInWhateverFormANameHas(name: String, isSecret: Bool) {
        #expect(SecretNames.isSecret(name) == isSecret)
    }

    @Test(arguments: [
        ("X-Api_Key[0]", "xapikey0"), ("", ""), ("-_.", ""), ("Contraseña", "contraseña"), ("a b\tC", "abc"),
        ("@[`{", ""), ("AZaz09", "azaz09"), ("É-1", "é1"),
    ])
    func lettersAndDigitsAreCompared(name: String, normalized: String) {
        #expect(SecretNames.normalized(name) == normalized)
    }
}
