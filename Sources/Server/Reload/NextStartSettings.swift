import Gatefold
import Mail

extension GatefoldConfiguration {
    /// The keys whose new values a running server does not take up.
    func keysForNextStart(after inForce: GatefoldConfiguration) -> [String] {
        let changes = [
            ("server.listen", listen != inForce.listen),
            ("server.admin_listen", adminListen != inForce.adminListen),
            ("server.tls", (tls == nil) != (inForce.tls == nil)),
            ("server.shutdown_grace", shutdownGrace != inForce.shutdownGrace),
            ("server.limits", limits != inForce.limits),
            ("log", log != inForce.log),
            ("state", !state.isSame(as: inForce.state)),
            ("guessing", guessing != inForce.guessing),
            ("passwords", !passwords.isSame(as: inForce.passwords)),
            ("mail", mail?.fingerprint != inForce.mail?.fingerprint),
            ("notifications", notices?.fingerprint != inForce.notices?.fingerprint),
        ]
        return changes.filter(\.1).map(\.0)
    }
}

extension GatefoldConfiguration.StateConfiguration {
    /// Two keys are taken for the same when they make the same reference.
    fileprivate func isSame(as other: Self) -> Bool {
        path == other.path && pushTokensPerHour == other.pushTokensPerHour
            && sessionsPerHour == other.sessionsPerHour
            && references.reference(toDevice: "") == other.references.reference(toDevice: "")
    }
}

extension PasswordConfiguration {
    fileprivate func isSame(as other: Self) -> Bool {
        workers == other.workers && cost == other.cost
            && isEqualInConstantTime(pepper?.bytes ?? [], other.pepper?.bytes ?? [])
    }
}
