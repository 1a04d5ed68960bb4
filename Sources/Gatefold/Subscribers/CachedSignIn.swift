/// A sign-in result from a cache, which facts from other processes may invalidate. Names are keyed digests.
public struct CachedSignIn: Hashable, Sendable {
    /// A digest of the identifier or of the subscriber.
    public struct Name: Hashable, Sendable {
        public let subject: [UInt8]
        /// A mark that distinguishes the proof used from other proofs of the same subject, or nil if no other proof
        /// can replace it.
        public let fingerprint: UInt16?

        public init(subject: [UInt8], fingerprint: UInt16?) {
            self.subject = subject
            self.fingerprint = fingerprint
        }
    }

    public let backend: String
    /// The names of the identifier and of the subscriber.
    public let names: [Name]

    public init(backend: String, names: [Name]) {
        self.backend = backend
        self.names = names
    }
}
