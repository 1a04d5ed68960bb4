import Gatefold
import Mail
import Primitives

extension GatefoldConfiguration {
    /// Returns the keys whose new values take effect only at the next start.
    func keysForNextStart(after current: GatefoldConfiguration) -> [String] {
        let changes = [
            ("server.listen", listen != current.listen),
            ("server.admin_listen", adminListen != current.adminListen),
            ("server.tls", (tls == nil) != (current.tls == nil)),
            ("server.shutdown_grace", shutdownGrace != current.shutdownGrace),
            ("server.limits", limits != current.limits),
            ("log", log != current.log),
            ("state", !state.isSame(as: current.state)),
            ("login_throttle", loginThrottle != current.loginThrottle),
            ("passwords", !passwords.isSame(as: current.passwords)),
            ("mail", mail?.fingerprint != current.mail?.fingerprint),
            ("notifications", notifications?.fingerprint != current.notifications?.fingerprint),
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
