import Foundation
import TestSupport

extension Front {
    func caddy(_ site: SitePlan) throws -> ServerProcess.Launch {
        let binary = try Installed("/usr/bin/caddy", package: "caddy")
        let configuration = try site.install("caddy/Caddyfile")
        return ServerProcess.Launch(
            binary.path, ["run", "--config", configuration.path, "--adapter", "caddyfile"],
            environment: [
                "HOME": site.folder.path, "XDG_DATA_HOME": site.folder.path, "XDG_CONFIG_HOME": site.folder.path,
            ],
            in: site.folder, until: .port(site.port))
    }
}
