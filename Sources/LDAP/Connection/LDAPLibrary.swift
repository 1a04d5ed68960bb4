import CLDAP
public import SharedLibraries

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The libldap library, loaded when the first directory needs it.
public struct LDAPLibrary: Sendable {
    let functions: LDAPFunctions

    private static let loaded = Result<LDAPFunctions, SharedLibraryError> { () throws(SharedLibraryError) in
        let library = try SharedLibrary(
            "libldap-2.5.so.0", "libldap.so.2", "libldap-2.4.so.2", package: "libldap-2.5-0")
        let functions = try LDAPFunctions(library)
        // libldap initialises itself at the first call. That call happens here, because two at the same time are
        // not safe.
        var version: Int32 = 0
        _ = functions.getOption(nil, LDAP_OPT_PROTOCOL_VERSION, &version)
        // libldap writes to sockets without MSG_NOSIGNAL, so a server that closes the connection would end the
        // process.
        var action = sigaction()
        if sigaction(SIGPIPE, nil, &action) == 0,
            unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0
        {
            signal(SIGPIPE, SIG_IGN)
        }
        return functions
    }

    /// - Throws: `SharedLibraryError` with the name of the Debian package that contains the library.
    public init() throws(SharedLibraryError) {
        functions = try Self.loaded.get()
    }

    init(functions: LDAPFunctions) {
        self.functions = functions
    }
}

/// The functions of libldap that are used, with the types that its headers declare (`ldap.h`, `openldap.h`,
/// `lber.h`).
struct LDAPFunctions: Sendable {
    typealias Handle = OpaquePointer
    typealias Message = OpaquePointer
    typealias Text = UnsafePointer<CChar>
    typealias Number = UnsafeMutablePointer<Int32>
    typealias Controls = UnsafeMutableRawPointer

    var initialiseDescriptor: @Sendable @convention(c) (Int32, Int32, Text, UnsafeMutablePointer<Handle?>) -> Int32
    let getOption: @Sendable @convention(c) (Handle?, Int32, UnsafeMutableRawPointer?) -> Int32
    let setOption: @Sendable @convention(c) (Handle?, Int32, UnsafeRawPointer?) -> Int32
    let controlSocket: @Sendable @convention(c) (OpaquePointer, Int32, UnsafeMutableRawPointer?) -> Int32
    let unbind: @Sendable @convention(c) (Handle, Controls?, Controls?) -> Int32
    let abandon: @Sendable @convention(c) (Handle, Int32, Controls?, Controls?) -> Int32
    let startTLS: @Sendable @convention(c) (Handle, Controls?, Controls?, Number) -> Int32
    let installTLS: @Sendable @convention(c) (Handle) -> Int32
    let bind:
        @Sendable @convention(c) (
            Handle, Text, Text?, UnsafePointer<berval>, Controls?, Controls?, Number
        ) -> Int32
    let search:
        @Sendable @convention(c) (
            Handle, Text, Int32, Text, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, Int32, Controls?, Controls?,
            UnsafeMutablePointer<timeval>, Int32, Number
        ) -> Int32
    let compare:
        @Sendable @convention(c) (
            Handle, Text, Text, UnsafePointer<berval>, Controls?, Controls?, Number
        ) -> Int32
    let result:
        @Sendable @convention(c) (
            Handle, Int32, Int32, UnsafeMutablePointer<timeval>, UnsafeMutablePointer<Message?>
        ) -> Int32
    let parseResult:
        @Sendable @convention(c) (
            Handle, Message, Number, Controls?, Controls?, Controls?, Controls?, Int32
        ) -> Int32
    let freeMessage: @Sendable @convention(c) (Message) -> Int32
    let freeMemory: @Sendable @convention(c) (UnsafeMutableRawPointer) -> Void
    let name: @Sendable @convention(c) (Handle, Message) -> UnsafeMutablePointer<CChar>?
    let firstAttribute:
        @Sendable @convention(c) (
            Handle, Message, UnsafeMutablePointer<OpaquePointer?>
        ) -> UnsafeMutablePointer<CChar>?
    let nextAttribute: @Sendable @convention(c) (Handle, Message, OpaquePointer) -> UnsafeMutablePointer<CChar>?
    let freeElement: @Sendable @convention(c) (OpaquePointer, Int32) -> Void
    let values: @Sendable @convention(c) (Handle, Message, Text) -> UnsafeMutablePointer<UnsafeMutablePointer<berval>?>?
    let freeValues: @Sendable @convention(c) (UnsafeMutablePointer<UnsafeMutablePointer<berval>?>) -> Void

    init(_ library: SharedLibrary) throws(SharedLibraryError) {
        initialiseDescriptor = try library.function("ldap_init_fd")
        getOption = try library.function("ldap_get_option")
        setOption = try library.function("ldap_set_option")
        controlSocket = try library.function("ber_sockbuf_ctrl")
        unbind = try library.function("ldap_unbind_ext")
        abandon = try library.function("ldap_abandon_ext")
        startTLS = try library.function("ldap_start_tls")
        installTLS = try library.function("ldap_install_tls")
        bind = try library.function("ldap_sasl_bind")
        search = try library.function("ldap_search_ext")
        compare = try library.function("ldap_compare_ext")
        result = try library.function("ldap_result")
        parseResult = try library.function("ldap_parse_result")
        freeMessage = try library.function("ldap_msgfree")
        freeMemory = try library.function("ldap_memfree")
        name = try library.function("ldap_get_dn")
        firstAttribute = try library.function("ldap_first_attribute")
        nextAttribute = try library.function("ldap_next_attribute")
        freeElement = try library.function("ber_free")
        values = try library.function("ldap_get_values_len")
        freeValues = try library.function("ldap_value_free_len")
    }
}
