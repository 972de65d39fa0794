"""Memory systems in processes of their own: official packages in their own environments, and commands of users."""
