import COpenSSL
package import SharedLibraries

/// OpenSSL's libcrypto, loaded when the first signed message needs it.
package enum CryptoLibrary {
    private static let loaded = Result<CryptoFunctions, SharedLibraryError> { () throws(SharedLibraryError) in
        try CryptoFunctions(SharedLibrary("libcrypto.so.3", package: "libssl3"))
    }

    /// Loads the library, so that a missing one is reported at the start.
    ///
    /// - Throws: ``SharedLibraryError`` with the name of the Debian package that contains the library.
    package static func load() throws(SharedLibraryError) {
        _ = try functions()
    }

    static func functions() throws(SharedLibraryError) -> CryptoFunctions {
        try loaded.get()
    }
}

/// The functions of libcrypto that are used, with the types that their headers declare (`cms.h`, `x509.h`,
/// `x509_vfy.h`, `objects.h`, `stack.h`, `err.h`).
struct CryptoFunctions: Sendable {
    typealias Object = OpaquePointer
    typealias Bytes = UnsafePointer<UInt8>
    typealias Free = @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void

    let clearErrors: @Sendable @convention(c) () -> Void

    let readMessage: @Sendable @convention(c) (OpaquePointer?, UnsafeMutablePointer<Bytes?>, Int) -> Object?
    let freeMessage: @Sendable @convention(c) (Object) -> Void
    let messageType: @Sendable @convention(c) (Object) -> Object?
    let contentType: @Sendable @convention(c) (Object) -> Object?
    let content: @Sendable @convention(c) (Object) -> UnsafeMutablePointer<UnsafeMutablePointer<ASN1_OCTET_STRING>?>?
    let certificates: @Sendable @convention(c) (Object) -> Object?
    let signers: @Sendable @convention(c) (Object) -> Object?
    let isSigner: @Sendable @convention(c) (Object, Object) -> Int32
    let setSigner: @Sendable @convention(c) (Object, Object) -> Void
    let signerAlgorithms:
        @Sendable @convention(c) (
            Object, UnsafeMutablePointer<Object?>?, UnsafeMutablePointer<Object?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<X509_ALGOR>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<X509_ALGOR>?>?
        ) -> Void
    let verifyMessage: @Sendable @convention(c) (Object, Object?, Object?, Object?, Object?, UInt32) -> Int32

    let count: @Sendable @convention(c) (Object) -> Int32
    let item: @Sendable @convention(c) (Object, Int32) -> UnsafeMutableRawPointer?
    let freeAll: @Sendable @convention(c) (Object, Free) -> Void

    let readCertificate: @Sendable @convention(c) (OpaquePointer?, UnsafeMutablePointer<Bytes?>, Int) -> Object?
    let freeCertificate: @Sendable @convention(c) (Object) -> Void
    let freeListedCertificate: Free
    let hasExtension: @Sendable @convention(c) (Object, Object, Int32) -> Int32
    let signatureInfo:
        @Sendable @convention(c) (
            Object, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?,
            UnsafeMutablePointer<UInt32>?
        ) -> Int32

    let newStore: @Sendable @convention(c) () -> Object?
    let freeStore: @Sendable @convention(c) (Object) -> Void
    let addRoot: @Sendable @convention(c) (Object, Object) -> Int32
    let newCheck: @Sendable @convention(c) () -> Object?
    let freeCheck: @Sendable @convention(c) (Object) -> Void
    let startCheck: @Sendable @convention(c) (Object, Object, Object, Object?) -> Int32
    let parameters: @Sendable @convention(c) (Object) -> Object?
    let setTime: @Sendable @convention(c) (Object, time_t) -> Void
    let setPurpose: @Sendable @convention(c) (Object, Int32) -> Int32
    let setLevel: @Sendable @convention(c) (Object, Int32) -> Void
    let setDepth: @Sendable @convention(c) (Object, Int32) -> Void
    let check: @Sendable @convention(c) (Object) -> Int32
    let problem: @Sendable @convention(c) (Object) -> Int32
    let problemText: @Sendable @convention(c) (Int) -> UnsafePointer<CChar>?
    let chain: @Sendable @convention(c) (Object) -> Object?

    let object: @Sendable @convention(c) (UnsafePointer<CChar>, Int32) -> Object?
    let freeObject: @Sendable @convention(c) (Object) -> Void
    let number: @Sendable @convention(c) (Object?) -> Int32

    init(_ library: SharedLibrary) throws(SharedLibraryError) {
        clearErrors = try library.function("ERR_clear_error")
        readMessage = try library.function("d2i_CMS_ContentInfo")
        freeMessage = try library.function("CMS_ContentInfo_free")
        messageType = try library.function("CMS_get0_type")
        contentType = try library.function("CMS_get0_eContentType")
        content = try library.function("CMS_get0_content")
        certificates = try library.function("CMS_get1_certs")
        signers = try library.function("CMS_get0_SignerInfos")
        isSigner = try library.function("CMS_SignerInfo_cert_cmp")
        setSigner = try library.function("CMS_SignerInfo_set1_signer_cert")
        signerAlgorithms = try library.function("CMS_SignerInfo_get0_algs")
        verifyMessage = try library.function("CMS_verify")
        count = try library.function("OPENSSL_sk_num")
        item = try library.function("OPENSSL_sk_value")
        freeAll = try library.function("OPENSSL_sk_pop_free")
        readCertificate = try library.function("d2i_X509")
        freeCertificate = try library.function("X509_free")
        freeListedCertificate = try library.function("X509_free")
        hasExtension = try library.function("X509_get_ext_by_OBJ")
        signatureInfo = try library.function("X509_get_signature_info")
        newStore = try library.function("X509_STORE_new")
        freeStore = try library.function("X509_STORE_free")
        addRoot = try library.function("X509_STORE_add_cert")
        newCheck = try library.function("X509_STORE_CTX_new")
        freeCheck = try library.function("X509_STORE_CTX_free")
        startCheck = try library.function("X509_STORE_CTX_init")
        parameters = try library.function("X509_STORE_CTX_get0_param")
        setTime = try library.function("X509_VERIFY_PARAM_set_time")
        setPurpose = try library.function("X509_VERIFY_PARAM_set_purpose")
        setLevel = try library.function("X509_VERIFY_PARAM_set_auth_level")
        setDepth = try library.function("X509_VERIFY_PARAM_set_depth")
        check = try library.function("X509_verify_cert")
        problem = try library.function("X509_STORE_CTX_get_error")
        problemText = try library.function("X509_verify_cert_error_string")
        chain = try library.function("X509_STORE_CTX_get0_chain")
        object = try library.function("OBJ_txt2obj")
        freeObject = try library.function("ASN1_OBJECT_free")
        number = try library.function("OBJ_obj2nid")
    }
}
