// SPDX-License-Identifier: Apache-2.0

/// Certificates and keys for tests, made with `openssl` and valid from 2020 to 2125 unless they say otherwise. Nobody else
/// trusts them.
enum TestCertificates {
    /// The authority that clients trust.
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBczCCARmgAwIBAgIBBjAKBggqhkjOPQQDAjAgMR4wHAYDVQQDDBVTdHJhdGEg
        dGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyNTAxMDEwMDAwMDBa
        MCAxHjAcBgNVBAMMFVN0cmF0YSB0ZXN0IGF1dGhvcml0eTBZMBMGByqGSM49AgEG
        CCqGSM49AwEHA0IABPztK/Kn17XUD5ckhDv1Vz4GGMUqkId7CG57+vNaoERyOnJj
        BveRU70ctiIvEs4WNpWn7rFD5fRP+HN+/0+foD+jQjBAMA8GA1UdEwEB/wQFMAMB
        Af8wDgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQWBBQhXTmlj4E0H7Enqga8I9cMWZmV
        vTAKBggqhkjOPQQDAgNIADBFAiAIISofCOJ+xV/eMffz+0lKEDvzJbbh+ArE72ir
        j4lwgQIhAMyX6SfGNDiGDMs4EgWCQm1z6sjNUX6+PmWV4iWY3UEe
        -----END CERTIFICATE-----

        """

    /// For `a.example`, `localhost`, `*.wild.example`, `part*.example`, 127.0.0.1 and ::1.
    static let server = """
        -----BEGIN CERTIFICATE-----
        MIIBzDCCAXKgAwIBAgIBCTAKBggqhkjOPQQDAjAgMR4wHAYDVQQDDBVTdHJhdGEg
        dGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyNTAxMDEwMDAwMDBa
        MBExDzANBgNVBAMMBnNlcnZlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFbi
        huAhBNu35/BGei8nCjrXOPdJdeTc6S2kVSBXTLI0AO3X489FJE/suMbO/U7jgPmh
        qWZIm59ApD/4bLX5LsCjgakwgaYwDAYDVR0TAQH/BAIwADBWBgNVHREETzBNgglh
        LmV4YW1wbGWCCWxvY2FsaG9zdIIOKi53aWxkLmV4YW1wbGWCDXBhcnQqLmV4YW1w
        bGWHBH8AAAGHEAAAAAAAAAAAAAAAAAAAAAEwHQYDVR0OBBYEFEr+lcCLwUQ7wm5j
        95hLJNHo12YBMB8GA1UdIwQYMBaAFCFdOaWPgTQfsSeqBrwj1wxZmZW9MAoGCCqG
        SM49BAMCA0gAMEUCIHSXI+vQdlRB4M76CWCoiuGPeMAcwTk0rtfes8+OUjtjAiEA
        rHPkrMQWiGOD7YHSrMUB0AZvUG2MtjYu+Ov2ElZbcCM=
        -----END CERTIFICATE-----

        """

    /// Ran out in 2021.
    static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBhzCCASygAwIBAgIBCjAKBggqhkjOPQQDAjAgMR4wHAYDVQQDDBVTdHJhdGEg
        dGVzdCBhdXRob3JpdHkwHhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjAR
        MQ8wDQYDVQQDDAZzZXJ2ZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARW4obg
        IQTbt+fwRnovJwo61zj3SXXk3OktpFUgV0yyNADt1+PPRSRP7LjGzv1O44D5oalm
        SJufQKQ/+Gy1+S7Ao2YwZDAMBgNVHRMBAf8EAjAAMBQGA1UdEQQNMAuCCWEuZXhh
        bXBsZTAdBgNVHQ4EFgQUSv6VwIvBRDvCbmP3mEsk0ejXZgEwHwYDVR0jBBgwFoAU
        IV05pY+BNB+xJ6oGvCPXDFmZlb0wCgYIKoZIzj0EAwIDSQAwRgIhAIE23u2tV5ye
        zRVFo+CksNT3vB5mudUFCyb4Cug7tJUlAiEAmJicUoqEm86IKPuPB3+sAiBXz1Br
        rU11WiNJSh6OliE=
        -----END CERTIFICATE-----

        """

    /// Begins in 2120.
    static let notYetValid = """
        -----BEGIN CERTIFICATE-----
        MIIBizCCATCgAwIBAgIBCzAKBggqhkjOPQQDAjAgMR4wHAYDVQQDDBVTdHJhdGEg
        dGVzdCBhdXRob3JpdHkwIhgPMjEyMDAxMDEwMDAwMDBaGA8yMTI1MDEwMTAwMDAw
        MFowETEPMA0GA1UEAwwGc2VydmVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        VuKG4CEE27fn8EZ6LycKOtc490l15NzpLaRVIFdMsjQA7dfjz0UkT+y4xs79TuOA
        +aGpZkibn0CkP/hstfkuwKNmMGQwDAYDVR0TAQH/BAIwADAUBgNVHREEDTALgglh
        LmV4YW1wbGUwHQYDVR0OBBYEFEr+lcCLwUQ7wm5j95hLJNHo12YBMB8GA1UdIwQY
        MBaAFCFdOaWPgTQfsSeqBrwj1wxZmZW9MAoGCCqGSM49BAMCA0kAMEYCIQCvNX5g
        qmrukKZ0Pb7+9f/EXszY4piNNlOiObju8WMlmwIhANyWcK7oPbZxpSQ075KltVsB
        n1OF/A+l0vCS+rHKpNxo
        -----END CERTIFICATE-----

        """

    /// From an authority that nobody knows.
    static let ofStranger = """
        -----BEGIN CERTIFICATE-----
        MIIBfjCCASOgAwIBAgIBDDAKBggqhkjOPQQDAjAVMRMwEQYDVQQDDApBIHN0cmFu
        Z2VyMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjUwMTAxMDAwMDAwWjARMQ8wDQYDVQQD
        DAZzZXJ2ZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARW4obgIQTbt+fwRnov
        Jwo61zj3SXXk3OktpFUgV0yyNADt1+PPRSRP7LjGzv1O44D5oalmSJufQKQ/+Gy1
        +S7Ao2YwZDAMBgNVHRMBAf8EAjAAMBQGA1UdEQQNMAuCCWEuZXhhbXBsZTAdBgNV
        HQ4EFgQUSv6VwIvBRDvCbmP3mEsk0ejXZgEwHwYDVR0jBBgwFoAUd9DXqeIHJw75
        i0uukPI1/RyV/WgwCgYIKoZIzj0EAwIDSQAwRgIhALt59O/yrZFsgEMlUExjSBrB
        78EqvHAo6VcFdhc2/O6eAiEAxl/yy2M7eqbzYo9jwVkEtgz8U8lS6/c+2B3xXsGX
        O5Q=
        -----END CERTIFICATE-----

        """

    /// Signed with its own key.
    static let selfSigned = """
        -----BEGIN CERTIFICATE-----
        MIIBUDCB9qADAgECAgEIMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWEuZXhhbXBs
        ZTAgFw0yMDAxMDEwMDAwMDBaGA8yMTI1MDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
        YS5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEVuKG4CEE27fn8EZ6
        LycKOtc490l15NzpLaRVIFdMsjQA7dfjz0UkT+y4xs79TuOA+aGpZkibn0CkP/hs
        tfkuwKM3MDUwFAYDVR0RBA0wC4IJYS5leGFtcGxlMB0GA1UdDgQWBBRK/pXAi8FE
        O8JuY/eYSyTR6NdmATAKBggqhkjOPQQDAgNJADBGAiEAousgjLewbZz4jArgvzuG
        5H2fe7IYxyepzC0+aLpHf4ICIQCEnBPlAYGfJntaSEEwpZ+he5wO2lGhUpY29kk6
        eIzk1w==
        -----END CERTIFICATE-----

        """

    /// Names `a.example` in the old way alone, which RFC 9525 §6.3 forbids clients to look at.
    static let commonNameOnly = """
        -----BEGIN CERTIFICATE-----
        MIIBdDCCARugAwIBAgIBDTAKBggqhkjOPQQDAjAgMR4wHAYDVQQDDBVTdHJhdGEg
        dGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyNTAxMDEwMDAwMDBa
        MBQxEjAQBgNVBAMMCWEuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
        BFbihuAhBNu35/BGei8nCjrXOPdJdeTc6S2kVSBXTLI0AO3X489FJE/suMbO/U7j
        gPmhqWZIm59ApD/4bLX5LsCjUDBOMAwGA1UdEwEB/wQCMAAwHQYDVR0OBBYEFEr+
        lcCLwUQ7wm5j95hLJNHo12YBMB8GA1UdIwQYMBaAFCFdOaWPgTQfsSeqBrwj1wxZ
        mZW9MAoGCCqGSM49BAMCA0cAMEQCIGP7acpJ/f51WFmVniXdwmC5h0c/SdpnDN3S
        wpdNRgMtAiB1Fy0G8stnCRMi339pZkb3j5DiLEXUvOsXR9Sy96z8dQ==
        -----END CERTIFICATE-----

        """

    /// The key of all servers.
    static let serverKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgFAB8Aff4a/LB7VJz
        3spPNeLGKuBbaZ1SJfGjIAzVUMahRANCAARW4obgIQTbt+fwRnovJwo61zj3SXXk
        3OktpFUgV0yyNADt1+PPRSRP7LjGzv1O44D5oalmSJufQKQ/+Gy1+S7A
        -----END PRIVATE KEY-----

        """

    /// For a client.
    static let client = """
        -----BEGIN CERTIFICATE-----
        MIIBcTCCARigAwIBAgIBDjAKBggqhkjOPQQDAjAgMR4wHAYDVQQDDBVTdHJhdGEg
        dGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyNTAxMDEwMDAwMDBa
        MBExDzANBgNVBAMMBmNsaWVudDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNif
        l1syD223s9V7YblBwBXAlBsiqKbksr4L0pvaRtxgQ7FLiyG9M7ElJ+e5Dp54LMri
        6s/rWlBiSR+bsKRzNCKjUDBOMAwGA1UdEwEB/wQCMAAwHQYDVR0OBBYEFLN6H7wc
        JEdvK2tOuni4XD2lVjYvMB8GA1UdIwQYMBaAFCFdOaWPgTQfsSeqBrwj1wxZmZW9
        MAoGCCqGSM49BAMCA0cAMEQCIDF6ZsBARtrH1n9dwHTAVj+G6Vee6wR9xM6c+0az
        URt3AiACKLefZXevwf605t9i9XQnKEaFcBy1+zuHVFaZRk/JBw==
        -----END CERTIFICATE-----

        """

    /// The client's key.
    static let clientKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgE/zLIrVez+hlPa9r
        WbuiiaZ0U7Td25k4+BICYgqDDH6hRANCAATYn5dbMg9tt7PVe2G5QcAVwJQbIqim
        5LK+C9Kb2kbcYEOxS4shvTOxJSfnuQ6eeCzK4urP61pQYkkfm7CkczQi
        -----END PRIVATE KEY-----

        """

    /// The same, encrypted.
    static let lockedClientKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhF1IF2YGFBCQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEHk5dyY0v1aORAphmIa/VUAEgZBt
        ZXbMSRXencfzP+9ayA7qnYnxWzatIsVJROdzmsprJdvdgvOZmp9uE9W4tFegGqGC
        FAyCHd9JOb5VS8eVMV7/GKABDMEdMbwjxLJY5oKsFI8mspFa1ijmLJN3L+1ke+mP
        eyrVDl5p+HWjiubjmWwLw9YiCjju8zaSo0ayzr72AXYau7iv/ogw81ex9m4QbOQ=
        -----END ENCRYPTED PRIVATE KEY-----

        """

    /// Of ``lockedClientKey``.
    static let password = "correct"

    /// SHA-256 of the servers' public key, in base64: `openssl pkey -pubout -outform der | openssl dgst -sha256 -binary`.
    static let pin = "KymsT93QDhbhlSjqQwjjm0fxiE2kOi0Grupz8cchPOg="
}
