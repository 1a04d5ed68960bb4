#if canImport(Security)
    public import Foundation
    import Security

    /// A storage of the session in the keychain of this device.
    public struct KeychainSessionStorage: SessionStorage {
        /// An error of the keychain with its `OSStatus`.
        public struct KeychainError: Error, Sendable {
            public let status: OSStatus
        }

        private let service: String
        private let account: String

        /// Creates a storage.
        ///
        /// - Parameters:
        ///   - service: The name of the app, such as its bundle identifier.
        ///   - account: The name of the session, to distinguish several sessions of one app.
        public init(service: String, account: String = "inplayer") {
            self.service = service
            self.account = account
        }

        private var query: [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account]
        }

        public func load() throws -> StoredSession? {
            var found: CFTypeRef?
            let status = SecItemCopyMatching(
                query.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 } as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let bytes = found as? Data else { throw KeychainError(status: status) }
            return try JSONDecoder().decode(StoredSession.self, from: bytes)
        }

        public func save(_ session: StoredSession) throws {
            let values: [CFString: Any] = [
                kSecValueData: try JSONEncoder().encode(session),
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(query.merging(values) { $1 } as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw KeychainError(status: status) }
        }

        public func remove() throws {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw KeychainError(status: status) }
        }
    }
#endif
