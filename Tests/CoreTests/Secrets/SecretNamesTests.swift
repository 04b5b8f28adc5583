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
        "user[sms_code]", "recovery_codes", "securityCode2", "X-Amz-Server-Side-Encryption-Customer-Key",
    ])
    func whatServicesCallTheirSecretsIsKnown(name: String) {
        #expect(SecretNames.isSecret(name))
    }

    @Test(arguments: [
        "option", "adoption_code", "barcodes", "security", "verification", "mfa_code_length", "error_code", "zipCode",
        "code", "key", "cache-key", "spin", "author", "compass",
        "passport_number", "session_count", "auth_type", "pin_count", "otp_required", "account_sid", "MessageSid", "",
        "é_", "_", "Access-Control-Allow-Credentials",
    ])
    func whatTellsOfOneOrSoundsLikeOneIsNone(name: String) {
        #expect(!SecretNames.isSecret(name))
    }
}
