import Gatefold
import Mail

extension GatefoldConfiguration {
    /// Returns the keys whose new values take effect only at the next start.
    func keysForNextStart(after inForce: GatefoldConfiguration) -> [String] {
        let changes = [
            ("server.listen", listen != inForce.listen),
            ("server.admin_listen", adminListen != inForce.adminListen),
            ("server.tls", (tls == nil) != (inForce.tls == nil)),
            ("server.shutdown_grace", shutdownGrace != inForce.shutdownGrace),
            ("server.limits", limits != inForce.limits),
            ("log", log != inForce.log),
            ("state", !state.isSame(as: inForce.state)),
            ("login_throttle", loginThrottle != inForce.loginThrottle),
            ("passwords", !passwords.isSame(as: inForce.passwords)),
            ("mail", mail?.fingerprint != inForce.mail?.fingerprint),
            ("notifications", notifications?.fingerprint != inForce.notifications?.fingerprint),
        ]
        return changes.filter(\.1).map(\.0)
    }
}

extension GatefoldConfiguration.StateConfiguration {
    /// Returns a Boolean value that indicates whether the settings are equal. Two reference secrets are equal if
    /// they make the same pseudonym.
    fileprivate func isSame(as other: Self) -> Bool {
        path == other.path && pushTokensPerHour == other.pushTokensPerHour
            && sessionsPerHour == other.sessionsPerHour
            && pseudonymKey.reference(toDevice: "") == other.pseudonymKey.reference(toDevice: "")
    }
}

extension PasswordConfiguration {
    fileprivate func isSame(as other: Self) -> Bool {
        workers == other.workers && cost == other.cost
            && isEqualInConstantTime(pepper?.bytes ?? [], other.pepper?.bytes ?? [])
    }
}
