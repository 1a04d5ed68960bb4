package import Gatefold

/// An authenticated user of the admin API or the console.
package struct AdminUser: Sendable, Equatable {
    /// What identifies the user among others, for limits and idempotency keys.
    package let id: String
    package let actor: AuditActor
    package let scope: AdminScope
    /// The name for the user itself.
    package let name: String
    /// The only body that the user may send; nil for any.
    let body: LocalOperatorPass.BodyDigest?

    init(_ token: AdminTokenRecord) {
        id = "token \(token.id)"
        actor = token.actor
        scope = token.scope
        name = token.name.description
        body = nil
    }

    init(_ pass: LocalOperatorPass) {
        id = "local \(pass.actor.name)"
        actor = pass.actor
        scope = AdminScope(.admin)
        name = pass.actor.name
        body = pass.body
    }
}
