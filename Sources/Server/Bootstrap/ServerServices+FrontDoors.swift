import Backends
import FrontDoors
import Gatefold
import State

/// The parts that front doors use.
extension ServerServices {
    var frontDoorServices: FrontDoorServices {
        var all = FrontDoorServices(
            clock: services.clock, random: services.random, pseudonymKey: pseudonymKey, accountStore: state,
            pinCodeStore: state, pushTokenStore: state, paceStore: state, ledger: state,
            reporter: { publication in
                let reporter = EventReporter(publication: publication)
                return { reporter.report($0) }
            })
        all.mailer = mailer
        all.notificationPublisher = notificationPublisher
        // The broker has the settings of the start, because the publisher does too.
        if let settings = (notificationPublisher as? MQTTNotificationPublisher)?.settings,
            let endpoint = settings.endpoint
        {
            all.notificationBroker = .init(endpoint: endpoint, region: settings.region)
        }
        return all
    }
}
