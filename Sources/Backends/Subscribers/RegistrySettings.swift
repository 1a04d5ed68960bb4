public import Settings

/// The settings that all registries of subscribers have, wherever they store them.
public struct RegistrySettings: Sendable, Equatable {
    /// The credential to check; nil if the identifier alone is sufficient.
    public let proof: SubscriberDatabaseBackend.Proof?
    /// A Boolean value that indicates whether readers can register and change their own passwords. Default: false.
    public let isSelfService: Bool

    /// - Throws: `SettingsError`, also for self-service without a password as the proof.
    public init(_ settings: SettingsSection) throws(SettingsError) {
        let field = try settings.string("proof", default: "password")
        let folds = try settings.boolean("proof_folds", default: false)
        let isChecked = try settings.boolean("check_proof", default: true)
        proof = isChecked ? SubscriberDatabaseBackend.Proof(field: field, folds: folds) : nil
        isSelfService = try settings.boolean("self_service", default: false)
        guard !isSelfService || (isChecked && !folds) else {
            throw settings.error(
                "self_service",
                expected: "expected a password for a proof: neither `check_proof: false` nor `proof_folds: true`")
        }
    }
}
