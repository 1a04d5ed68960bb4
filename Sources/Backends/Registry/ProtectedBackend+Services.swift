public import Gatefold
package import Primitives
public import Resilience

extension ProtectedBackend {
    /// Creates a protected backend with the services that backends share.
    ///
    /// - Parameters:
    ///   - backend: The backend to protect.
    ///   - varyingFields: See ``BackendKind/varyingFields``.
    ///   - decidesEditions: See ``BackendKind/decidesEditions``.
    ///   - settings: The settings under `protection`.
    ///   - services: The clock, the random source and the observer of events.
    public convenience init(
        _ backend: any SubscriberBackend, varyingFields: Set<String> = [], decidesEditions: Bool = true,
        settings: ProtectionSettings = ProtectionSettings(), services: BackendServices
    ) {
        self.init(
            backend, varyingFields: varyingFields, decidesEditions: decidesEditions, settings: settings,
            services: services.protection)
    }

    package convenience init(
        _ backend: any SubscriberBackend, varyingFields: Set<String>, decidesEditions: Bool,
        settings: ProtectionSettings, services: BackendServices, sleep: @escaping Sleep
    ) {
        self.init(
            backend, varyingFields: varyingFields, decidesEditions: decidesEditions, settings: settings,
            services: services.protection, sleep: sleep)
    }
}

extension BackendServices {
    fileprivate var protection: ProtectionServices {
        var services = ProtectionServices(
            clock: clock, random: random, pseudonymKey: pseudonymKey, observe: observe,
            credentialFacts: credentialFacts)
        services.slotShares = slotShares
        return services
    }
}
